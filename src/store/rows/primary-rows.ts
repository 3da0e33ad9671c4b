/**
 * What the indexer writes about P, X and C of one network. Ids and addresses are lower-case hex without 0x (32, 20
 * bytes), amounts bigint in the asset's smallest unit (nAVAX for AVAX), times unix seconds unless a name says more.
 */
import type { ChainLetter } from '../../lib/primary-network.ts'

export type { ChainLetter }

/** A block at its place in the chain. */
export interface BlockRow {
  height: bigint
  /** The block's own id: inner id on P and X, Ethereum hash on C. */
  id: string
  parentId: string
  /** The proposervm's id; left out for genesis, before the fork and when the envelope is unknown. */
  outerId?: string | undefined
  outerParentId?: string | undefined
  /** Name of the block type as nodes print it, for example `BanffStandardBlock`; free text. */
  type: string
  /** Time of the inner block (on P capped at the next staker change). */
  time: bigint
  timeMs?: bigint | undefined
  /** Bytes of the inner block. */
  size: number
  /** In the order of the block; on C the Ethereum transactions. */
  txIds: readonly string[]
  /** C only: atomic transactions of the block. */
  atomicTxIds?: readonly string[] | undefined
  proposer?: BlockProposer | undefined
  /** P only. */
  currentSupply?: bigint | undefined
  /** P only, since Etna. */
  l1AccruedFees?: bigint | undefined
  activeL1Validators?: number | undefined
}

/** From the proposervm's envelope. */
export interface BlockProposer {
  /** 20 bytes; left out for unsigned blocks. */
  nodeId?: string | undefined
  pChainHeight?: bigint | undefined
  time?: bigint | undefined
}

/** An accepted container as a node's index API has it; kept only where the index API is to be answered from here. */
export interface ContainerRow {
  /** Place in acceptance order; height − 1 in a complete index of blocks. */
  index: bigint
  /** Outer id. */
  id: string
  height: bigint
  /** Outer bytes. */
  bytes: Uint8Array
  /** RFC 3339 with nanoseconds, exactly as the node gave it. */
  acceptedAt: string
}

/** A transaction of P, X or an atomic one of C. The store numbers them in the order given (index API, X/tx). */
export interface TransactionRow {
  id: string
  height: bigint
  /** Place in the block. */
  position: number
  /** Type id of the unsigned transaction. */
  type: number
  time: bigint
}

/** What an output can be. `transfer` with a stakeable locktime is a stakeable lock. */
export type OutputKind = 'transfer' | 'mint' | 'nft-transfer' | 'nft-mint' | 'property-owned' | 'property-mint'

/** Who owns something: `threshold` of `addresses` once `locktime` has passed. */
export interface OwnerSet {
  threshold: number
  /** 0 = none. */
  locktime: bigint
  /** In the order of the bytes. Empty: nobody finds it by address. */
  addresses: readonly string[]
}

/** An output that comes to life in the range. Its chain is the stream's. */
export interface UtxoRow extends OwnerSet {
  /** The transaction that the UTXO is named after: for returned stake and rewards the staking transaction. */
  txId: string
  outputIndex: number
  kind: OutputKind
  assetId: string
  /** Left out for kinds without an amount. */
  amount?: bigint | undefined
  /** Lock that binds the output to staking until then. */
  stakeableLocktime?: bigint | undefined
  /** Set for an exported output: the chain whose shared memory it lies in and which alone can consume it. */
  exportedTo?: ChainLetter | undefined
  height: bigint
  time: bigint
  /** NFT outputs. */
  groupId?: number | undefined
  /** Hex. */
  payload?: string | undefined
  /** Set while the output is stake: it is no UTXO of the node before its `ReleaseRow`. */
  stake?: StakeInterval | undefined
  reward?: RewardMark | undefined
}

/** Start and end of staking as the API shows them; what the chain really did is told by `ReleaseRow`. */
export interface StakeInterval {
  /** Time of the block that accepted the staking transaction, or later when the staker was pending first. */
  start: bigint
  end: bigint
}

export type RewardType = 'VALIDATOR' | 'DELEGATOR' | 'VALIDATOR_FEE'

export interface RewardMark {
  type: RewardType
  /** The RewardValidatorTx and the height of its proposal block, which the API shows as the block of the UTXO. */
  txId: string
  height: bigint
}

/** An output that is consumed in the range, on the stream's chain. */
export interface SpendRow {
  txId: string
  outputIndex: number
  /** The consuming transaction. */
  by: string
  height: bigint
  time: bigint
  /** Set for an import: the chain that exported it, whose stream may be behind this one. */
  importedFrom?: ChainLetter | undefined
  /** The chain is older than its index: the output need not be known. */
  perhapsOlder?: boolean | undefined
  /** Signatures of the input one after another, 65 bytes each, hex; X and C. */
  signatures?: string | undefined
}

/** Stake that becomes an ordinary UTXO again (at the option block, after commit and abort alike). */
export interface ReleaseRow {
  txId: string
  outputIndex: number
  time: bigint
}

/** Stake that goes on beyond the end it had (a validator that renews itself); the last one of a range counts. */
export interface ProlongationRow {
  txId: string
  outputIndex: number
  /** The new end, unix seconds. */
  end: bigint
}

export interface AssetRow {
  id: string
  name: string
  symbol: string
  denomination: number
  type: 'secp256k1' | 'nft' | 'property'
  height: bigint
}

/** All that a range of P, X or C changes. Leave out what is empty. */
export interface PrimaryRows {
  blocks?: readonly BlockRow[]
  containers?: readonly ContainerRow[]
  transactions?: readonly TransactionRow[]
  utxos?: readonly UtxoRow[]
  spends?: readonly SpendRow[]
  prolongations?: readonly ProlongationRow[]
  releases?: readonly ReleaseRow[]
  assets?: readonly AssetRow[]
  staking?: StakingRows
}

/** P only. */
export interface StakingRows {
  stakers?: readonly StakerRow[]
  stakerChanges?: readonly StakerChangeRow[]
  /** Whole rows: what was there under the id is replaced. */
  subnets?: readonly SubnetRow[]
  chains?: readonly BlockchainRow[]
  l1Validators?: readonly L1ValidatorRow[]
}

/** A staker that was accepted. */
export interface StakerRow {
  txId: string
  kind: 'validator' | 'delegator'
  subnetId: string
  /** 20 bytes. */
  nodeId: string
  weight: bigint
  start: bigint
  end: bigint
  height: bigint
  time: bigint
  /** Staker of the past protocol whose period has not begun. */
  pending?: boolean
  /**
   * The stake's outputs under `txId`: where they begin and how many there are. They become UTXOs again when the staker
   * ends, and the reward's UTXOs are counted on behind them.
   */
  firstStakeOutput: number
  stakeOutputs: number
  /** Gross, nAVAX; 0 where nothing can be earned. */
  potentialReward: bigint
  /** What the owner of this staker's reward gets of it: for delegators less the delegation fee. */
  potentialNet: bigint
  /** Validators: delegation fee in millionths. */
  delegationShares?: number
  /** Owner of the reward (validator: of the validation reward). Subnet validators by permission have none. */
  rewardsOwner?: OwnerSet
  /** Validators: owner of the delegation fees. */
  feesOwner?: OwnerSet
}

export type StakerOutcome = 'committed' | 'aborted' | 'removed'

/** What happened to a staker; only the members that are set change. */
export interface StakerChangeRow {
  txId: string
  /** The period began, or was renewed with another weight or reward. */
  started?: { start: bigint; end: bigint; weight: bigint; potentialReward: bigint; potentialNet: bigint }
  /** Fees of finished delegations that the validator is owed, nAVAX, as a new total. */
  accruedFees?: bigint
  ended?: { height: bigint; time: bigint; outcome: StakerOutcome; rewardTxId?: string; rewardHeight?: bigint }
}

/** All that is still open on P: what the indexer has to know to go on behind the stored tip. */
export interface OpenStaking {
  /** Stakers that have not ended, with what `StakerChangeRow` made of them. */
  stakers: readonly OpenStaker[]
  /** Every subnet. */
  subnets: readonly SubnetRow[]
  /** L1 validators with a weight. */
  l1Validators: readonly L1ValidatorRow[]
}

export type OpenStaker = StakerRow & { accruedFees: bigint }

export interface SubnetRow {
  id: string
  height: bigint
  owner: OwnerSet
  /** Set when the subnet was converted to an L1. */
  conversion?: { id: string; managerChainId: string; managerAddress: string; height: bigint }
}

export interface BlockchainRow {
  id: string
  subnetId: string
  name: string
  vmId: string
  height: bigint
}

export interface L1ValidatorRow {
  validationId: string
  subnetId: string
  nodeId: string
  /** Hex. */
  publicKey: string
  weight: bigint
  minNonce: bigint
  startTime: bigint
  /** The node's EndAccumulatedFee, nAVAX; 0 = inactive. */
  endAccumulatedFee: bigint
  remainingBalanceOwner: OwnerSet
  deactivationOwner: OwnerSet
  /** Height of the change that led to this row. */
  height: bigint
}
