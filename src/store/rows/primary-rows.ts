/**
 * Rows that the indexer writes for P, X and C of one network. Ids and addresses are lower-case hex without 0x (32, 20
 * bytes), amounts bigint in the asset's smallest unit (nAVAX for AVAX), times unix seconds unless a name says more.
 */
import type { ChainLetter } from '../../facts/primary-network.ts'

export type { ChainLetter }

/** A block of the chain. */
export interface BlockRow {
  height: bigint
  /** The block's own id: inner id on P and X, Ethereum hash on C. */
  id: string
  parentId: string
  /** The proposervm's id; left out for genesis, before the fork and when the envelope is unknown. */
  outerId?: string | undefined
  outerParentId?: string | undefined
  /** Name of the block type as on nodes, for example `BanffStandardBlock`; free text. */
  type: string
  /** Time of the inner block (on P capped at the next staker change). */
  time: bigint
  timeMs?: bigint | undefined
  /** Bytes of the inner block. */
  size: number
  /** In block order; on C the Ethereum transactions. */
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

/** An accepted container as in a node's index API; kept only if Firn answers the index API itself. */
export interface ContainerRow {
  /** Position in acceptance order; height − 1 in a complete index of blocks. */
  index: bigint
  /** Outer id. */
  id: string
  height: bigint
  /** Outer bytes. */
  bytes: Uint8Array
  /** RFC 3339 with nanoseconds, exactly as from the node. */
  acceptedAt: string
}

/** A transaction of P, X or an atomic one of C. The store numbers them in the order given (index API, X/tx). */
export interface TransactionRow {
  id: string
  height: bigint
  /** Position in the block. */
  position: number
  /** Type id of the unsigned transaction. */
  type: number
  time: bigint
}

/** Kinds of outputs. `transfer` with a stakeable locktime is a stakeable lock. */
export type OutputKind = 'transfer' | 'mint' | 'nft-transfer' | 'nft-mint' | 'property-owned' | 'property-mint'

/** Owners: `threshold` of `addresses` once `locktime` has passed. */
export interface OwnerSet {
  threshold: number
  /** 0 = none. */
  locktime: bigint
  /** In byte order. Empty: found under no address. */
  addresses: readonly string[]
}

/** An output created in the range, on the stream's chain. */
export interface UtxoRow extends OwnerSet {
  /** The transaction that the UTXO is named after: for returned stake and rewards the staking transaction. */
  txId: string
  outputIndex: number
  kind: OutputKind
  assetId: string
  /** Left out for kinds without an amount. */
  amount?: bigint | undefined
  /** Until then the output can only be staked. */
  stakeableLocktime?: bigint | undefined
  /** Set for an exported output: the chain whose shared memory contains it and which alone can consume it. */
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

/** Start and end of staking as the API shows them; `ReleaseRow` has what really happened on the chain. */
export interface StakeInterval {
  /** Time of the block that accepted the staking transaction, or later if the staker was pending first. */
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

/** Stake that continues beyond its previous end (a validator that renews itself); the last one of a range counts. */
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

/** All changes of a range of P, X or C. Leave out what is empty. */
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
  /** Whole rows: they replace the stored row of the id. */
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
  /** Staker of the earlier protocol whose period has not begun. */
  pending?: boolean
  /**
   * The stake's outputs under `txId`: first index and number. They become UTXOs again when the staker ends, and the
   * reward's UTXOs are numbered after them.
   */
  firstStakeOutput: number
  stakeOutputs: number
  /** Gross, nAVAX; 0 if nothing can be earned. */
  potentialReward: bigint
  /** The part for the owner of this staker's reward: for delegators less the delegation fee. */
  potentialNet: bigint
  /** Validators: delegation fee in millionths. */
  delegationShares?: number
  /** Owner of the reward (validator: of the validation reward). Permissioned subnet validators have none. */
  rewardsOwner?: OwnerSet
  /** Validators: owner of the delegation fees. */
  feesOwner?: OwnerSet
}

export type StakerOutcome = 'committed' | 'aborted' | 'removed'

/** Changes of a staker; only the members that are set change. */
export interface StakerChangeRow {
  txId: string
  /** The period began, or was renewed with another weight or reward. */
  started?: { start: bigint; end: bigint; weight: bigint; potentialReward: bigint; potentialNet: bigint }
  /** Fees of finished delegations owed to the validator, nAVAX, as a new total. */
  accruedFees?: bigint
  ended?: { height: bigint; time: bigint; outcome: StakerOutcome; rewardTxId?: string; rewardHeight?: bigint }
}

/** Open state of P that the indexer needs to continue after the stored tip. */
export interface OpenStaking {
  /** Stakers that have not ended, with all `StakerChangeRow`s applied. */
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
