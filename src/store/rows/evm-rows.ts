/**
 * Rows that the indexer writes for an EVM chain. Hashes and addresses are lower-case hex without 0x, amounts bigint in
 * wei or the token's smallest unit.
 */
export interface EvmRows {
  blocks?: readonly EvmBlockRow[]
  transactions?: readonly EvmTransactionRow[]
  transfers?: readonly EvmTransferRow[]
  contracts?: readonly EvmContractRow[]
  nfts?: readonly EvmNftRow[]
  /** Contracts that report changed metadata (EIP-4906, ERC-1155): known tokens are fetched again. */
  metadataChanges?: readonly EvmMetadataChangeRow[]
  /** Participants: senders, receivers, created contracts, parties of token transfers. Repetitions are harmless. */
  participants?: readonly EvmParticipantRow[]
  /** Addresses and the fungible tokens that they ever touched: candidates, not balances. Repetitions are harmless. */
  holdings?: readonly EvmHoldingRow[]
  /** Heights of blocks without traces, in order. */
  untraced?: readonly bigint[]
}

export interface EvmBlockRow {
  height: bigint
  hash: string
  parentHash: string
  /** Unix seconds. */
  time: bigint
  /** Since Granite. */
  timeMs?: bigint
  minDelayExcess?: bigint
  txCount: number
  /** Number of failed transactions. */
  failedCount: number
  baseFee: bigint
  gasUsed: bigint
  gasLimit: bigint
  /** coreth's blockGasCost; 0 if there is none. */
  gasCost: bigint
  /** Fees of the block's transactions, wei. */
  feesSpent: bigint
  /** Transactions of the chain up to and including this block. */
  cumulativeTransactions: bigint
}

export interface EvmTransactionRow {
  height: bigint
  /** Index in the block. */
  index: number
  hash: string
  from: string
  /** Left out for a creation. */
  to?: string
  createdContract?: string
  value: bigint
  success: boolean
  /** EIP-2718. */
  type: number
  gasLimit: bigint
  gasUsed: bigint
  /** Price paid. */
  gasPrice: bigint
  nonce: bigint
  /** First four bytes of the data as hex; empty for a plain transfer. */
  selector: string
}

export type TokenStandard = 'ERC-20' | 'ERC-721' | 'ERC-1155'

export interface EvmTransferRow {
  height: bigint
  logIndex: number
  /** Index in an ERC-1155 batch, else 0. */
  batchIndex: number
  txIndex: number
  standard: TokenStandard
  contract: string
  from: string
  to: string
  /** NFTs only. */
  tokenId?: bigint
  /** 1 for ERC-721. */
  amount: bigint
}

/** A contract that was created or appeared in a log. Left out members keep their known values. */
export interface EvmContractRow {
  address: string
  height: bigint
  standard?: TokenStandard
  name?: string
  symbol?: string
  decimals?: number
  /** Hash of the transaction that created it, and its sender. */
  creationTx?: string
  creator?: string
}

/** The state of an NFT after its last transfer in the range. */
export interface EvmNftRow {
  contract: string
  tokenId: bigint
  standard: 'ERC-721' | 'ERC-1155'
  /** ERC-721 only; the zero address when it was burned. */
  owner?: string
  height: bigint
  logIndex: number
  /** Height of its first transfer in the range: a re-organisation above it keeps the token. */
  firstHeight: bigint
}

/** From one token id to another, both included. */
export interface EvmMetadataChangeRow {
  /** Height of the reporting block. */
  height: bigint
  contract: string
  from: bigint
  to: bigint
}

export interface EvmParticipantRow {
  address: string
  height: bigint
}

export interface EvmHoldingRow {
  address: string
  contract: string
  height: bigint
}

/** Blocks without a gap whose native transfers inside transactions are added later. */
export interface EvmTracesLater {
  from: bigint
  /** The last of them. */
  to: { height: bigint; blockId: string }
  participants: readonly EvmParticipantRow[]
}
