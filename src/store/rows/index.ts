/**
 * What the indexer passes to the store: plain rows of a range of blocks and the range's progress. They are written
 * together or not at all.
 */
import type { EvmRows } from './evm-rows.ts'
import type { ChainLetter, PrimaryRows } from './primary-rows.ts'

export type * from './evm-rows.ts'
export type * from './primary-rows.ts'

/** A followed chain. `name` is the configuration's: `mainnet:P`, `eip155:53935`. */
export type StreamDefinition =
  | { name: string; kind: 'primary'; network: string; testnet: boolean; chain: 'P' | 'X' }
  /** C is both: a chain with shared memory and an EVM chain. */
  | { name: string; kind: 'primary'; network: string; testnet: boolean; chain: 'C'; evmChainId: bigint }
  | { name: string; kind: 'evm'; testnet: boolean; evmChainId: bigint }

export interface RangeRows {
  /** Streams of P, X and C. */
  primary?: PrimaryRows
  /** C and other EVM streams. */
  evm?: EvmRows
}

/** The blocks of a range; it has to continue the stored chain without a gap. */
export interface RangeProgress {
  /** Height of the first block: one more than the stored height, or where the stream begins. */
  from: bigint
  /** Parent of the first block: the id of the stored tip. */
  parentId: string
  /** The last block: the stream's tip after the commit. */
  height: bigint
  blockId: string
  /** Unix seconds. */
  time: bigint
  /** State that the indexer needs to continue and cannot read from the rows, in its own text format. */
  state?: string
}

/**
 * New EVM rows for the blocks at a stream's tip: their receipts were reported wrongly, and no block has settled them.
 */
export interface EvmRewrite {
  /** All blocks above this height, up to the stored tip. */
  above: bigint
  rows: EvmRows
  /** See `RangeProgress.state`. */
  state: string
}

/** The progress of a stream. */
export interface StreamProgress {
  stream: string
  /** Left out if nothing is committed. */
  tip?: { height: bigint; blockId: string; time: bigint }
  state?: string
  /** Transactions numbered so far. */
  transactions: bigint
  /**
   * Unix milliseconds up to which the index is known to match the chain: the time of the tip, or of the last check that
   * found no newer block. Served data is as old as this. -1: the nodes have another block there.
   */
  currentAtMs: bigint
}

export type { ChainLetter }
