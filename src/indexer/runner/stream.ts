import type { EvmRewrite, RangeRows, StreamDefinition, StreamProgress } from '../../store/rows/index.ts'

/** The part of a block that the runner needs. Ids are hex without 0x, `time` unix seconds. */
export interface StreamBlock {
  readonly height: bigint
  readonly id: string
  readonly parentId: string
  readonly time: bigint
}

/** The block that the next one must follow. */
export type StreamTip = Pick<StreamBlock, 'height' | 'id'>

/** Result of one fetch: blocks without a gap, and the chain's height. */
export interface Page<B extends StreamBlock> {
  /** Each block is the child of the previous one, the first is the child of `after`. Empty: no new blocks yet. */
  readonly blocks: readonly B[]
  /** Height of the chain's last block according to the upstream. */
  readonly tip: bigint
}

/**
 * One followed chain. `fetch` runs one page ahead while earlier pages are applied and written, so all calls to nodes
 * about a block belong there; everything after it only computes.
 */
export interface ChainStream<B extends StreamBlock> {
  readonly definition: StreamDefinition
  /** The definition, if part of it has to be read from the chain; left out = `definition` unchanged. */
  define?(signal: AbortSignal): Promise<StreamDefinition>
  /** Height of the first block that is indexed: 0 for most. */
  readonly firstHeight: bigint
  /**
   * Blocks from `from` on, as many as one page holds; verified (the id is the hash, the parent is `after`).
   * @param after undefined before the first block
   * @throws FirnError; the runner tries again later
   */
  fetch(from: bigint, after: StreamTip | undefined, signal: AbortSignal): Promise<Page<B>>
  /** Prepares to continue after the stored tip. Called at the start and after every failure. */
  open(progress: StreamProgress, signal: AbortSignal): Promise<BlockApplier<B>>
  /**
   * For chains that can re-organise: the highest height at or below the stored tip on which store and chain still
   * agree. Left out for chains whose accepted blocks are final.
   */
  fork?(tip: StreamTip, signal: AbortSignal): Promise<bigint>
  /**
   * The state that a rewind to `height` stores, for the next `open`; left out or undefined = none.
   * @param state that of the stored tip
   */
  rewound?(height: bigint, state: string | undefined): Promise<string | undefined>
  /**
   * For chains whose accepted blocks are final: whether the chain has the stored tip; called before `open`. False only
   * if there is another block at that height: a node without that height proves nothing.
   */
  has?(tip: StreamTip, signal: AbortSignal): Promise<boolean>
  /**
   * For chains that execute blocks after they were accepted: the rows at the stored tip that have to be rewritten,
   * because nodes report them differently now and no block has settled them. Called before `open`; undefined = none.
   */
  unsettled?(progress: StreamProgress, signal: AbortSignal): Promise<EvmRewrite | undefined>
  /**
   * Completes a piece of stored data that lacks something; runs while the stream is at the tip.
   * @returns milliseconds until the next piece is worthwhile
   */
  mend?(signal: AbortSignal): Promise<number>
  /** Notes for people on how the chain is read, for status and health: `proposers unknown`, `genesis inferred`. */
  notes?(): readonly string[]
}

/** Turns blocks into rows, in order; keeps the past state that it needs in memory. A failure makes it unusable. */
export interface BlockApplier<B extends StreamBlock> {
  apply(blocks: readonly B[]): RangeContent | Promise<RangeContent>
}

export interface RangeContent {
  rows: RangeRows
  /** State that `open` needs to continue after this range and that is not in the rows. */
  state?: string
  /** Unix seconds of the last block, if only applying it gives its time. */
  time?: bigint
}

// biome-ignore lint/suspicious/noExplicitAny: each stream has blocks of its own, which only it and its applier see
export type AnyStream = ChainStream<any>
