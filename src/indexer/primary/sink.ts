import type {
  AssetRow,
  BlockchainRow,
  BlockRow,
  ContainerRow,
  L1ValidatorRow,
  PrimaryRows,
  ProlongationRow,
  ReleaseRow,
  SpendRow,
  StakerChangeRow,
  StakerRow,
  SubnetRow,
  TransactionRow,
  UtxoRow,
} from '../../store/rows/index.ts'

/** Collects the changes of a range of blocks, in order. */
export interface Sink {
  readonly blocks: BlockRow[]
  readonly containers: ContainerRow[]
  readonly transactions: TransactionRow[]
  readonly utxos: UtxoRow[]
  readonly spends: SpendRow[]
  readonly prolongations: ProlongationRow[]
  readonly releases: ReleaseRow[]
  readonly assets: AssetRow[]
  readonly stakers: StakerRow[]
  readonly chains: BlockchainRow[]
  /** Later changes of a staker override earlier ones. */
  changeStaker(change: StakerChangeRow): void
  /** The last row for an id counts. */
  setSubnet(row: SubnetRow): void
  setL1Validator(row: L1ValidatorRow): void
  rows(): PrimaryRows
}

export function createSink(): Sink {
  const stakerChanges = new Map<string, StakerChangeRow>()
  const subnets = new Map<string, SubnetRow>()
  const l1Validators = new Map<string, L1ValidatorRow>()
  const lists = {
    blocks: [] as BlockRow[],
    containers: [] as ContainerRow[],
    transactions: [] as TransactionRow[],
    utxos: [] as UtxoRow[],
    spends: [] as SpendRow[],
    prolongations: [] as ProlongationRow[],
    releases: [] as ReleaseRow[],
    assets: [] as AssetRow[],
    stakers: [] as StakerRow[],
    chains: [] as BlockchainRow[],
  }
  return {
    ...lists,
    changeStaker: (change) => void stakerChanges.set(change.txId, { ...stakerChanges.get(change.txId), ...change }),
    setSubnet: (row) => void subnets.set(row.id, row),
    setL1Validator: (row) => void l1Validators.set(row.validationId, row),
    rows() {
      const { stakers, chains, ...primary } = lists
      const staking = {
        stakers,
        chains,
        stakerChanges: [...stakerChanges.values()],
        subnets: [...subnets.values()],
        l1Validators: [...l1Validators.values()],
      }
      const quiet = Object.values(staking).every((list) => list.length === 0)
      return { ...primary, ...(quiet ? {} : { staking }) }
    },
  }
}
