/**
 * What the indexer writes about an EVM chain. Hashes and addresses are lower-case hex without 0x, amounts bigint in wei
 * or the token's smallest unit.
 */
export interface EvmRows {
  blocks?: readonly EvmBlockRow[]
  transactions?: readonly EvmTransactionRow[]
  transfers?: readonly EvmTransferRow[]
  contracts?: readonly EvmContractRow[]
  nfts?: readonly EvmNftRow[]
  /** Contracts that say that metadata changed (EIP-4906, ERC-1155): tokens that are known are fetched again. */
  metadataChanges?: readonly EvmMetadataChangeRow[]
  /** Who took part: senders, receivers, created contracts, parties of token transfers. Repetitions do no harm. */
  participants?: readonly EvmParticipantRow[]
  /** Who ever touched which fungible token: candidates, not balances. Repetitions do no harm. */
  holdings?: readonly EvmHoldingRow[]
  /** Heights of blocks of which nobody told what contracts sent, in their order. */
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
  /** How many of them failed. */
  failedCount: number
  baseFee: bigint
  gasUsed: bigint
  gasLimit: bigint
  /** coreth's blockGasCost; 0 where there is none. */
  gasCost: bigint
  /** Fees of the block's transactions, wei. */
  feesSpent: bigint
  /** Transactions of the chain up to and including this block. */
  cumulativeTransactions: bigint
}

export interface EvmTransactionRow {
  height: bigint
  /** Place in the block. */
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
  /** Place in an ERC-1155 batch, else 0. */
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

/** A contract that was created or showed itself in a log. Members that are left out keep what is known. */
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
  /** Height of its first transfer in the range: a re-organisation behind it leaves the token there. */
  firstHeight: bigint
}

/** From one token id to another, both included. */
export interface EvmMetadataChangeRow {
  /** Of the block that says so. */
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

/** Blocks without a hole of which it is told later who gave or was given native value inside of their transactions. */
export interface EvmTracesLater {
  from: bigint
  /** The last of them. */
  to: { height: bigint; blockId: string }
  participants: readonly EvmParticipantRow[]
}
