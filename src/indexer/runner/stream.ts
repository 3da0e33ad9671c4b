import type { EvmRewrite, RangeRows, StreamDefinition, StreamProgress } from '../../store/rows/index.ts'

/** A block as far as the runner has to know it. Ids are hex without 0x, `time` unix seconds. */
export interface StreamBlock {
  readonly height: bigint
  readonly id: string
  readonly parentId: string
  readonly time: bigint
}

/** The block on which the next one has to stand. */
export type StreamTip = Pick<StreamBlock, 'height' | 'id'>

/** What one fetch brought: blocks without a hole, and how far the chain goes. */
export interface Page<B extends StreamBlock> {
  /** Each the child of the one before, the first the child of what `fetch` was given. Empty: there is no more yet. */
  readonly blocks: readonly B[]
  /** Height of the chain's last block as the upstream knows it now. */
  readonly tip: bigint
}

/**
 * One chain that is followed. `fetch` runs one page ahead while earlier pages are applied and written, so whatever has to
 * be asked of a node about a block belongs there; everything behind it is computing.
 */
export interface ChainStream<B extends StreamBlock> {
  readonly definition: StreamDefinition
  /** The definition where a part of it has to be asked of the chain; left out = `definition` as it stands. */
  define?(signal: AbortSignal): Promise<StreamDefinition>
  /** Height of the first block that is indexed: 0 for most. */
  readonly firstHeight: bigint
  /**
   * Blocks from `from` on, as many as one page holds; verified (the id is the hash, the parent is `after`).
   * @param after undefined before the first block
   * @throws FirnError; the runner tries again later
   */
  fetch(from: bigint, after: StreamTip | undefined, signal: AbortSignal): Promise<Page<B>>
  /** Makes ready to go on behind what is stored. Called at the start and after every failure. */
  open(progress: StreamProgress, signal: AbortSignal): Promise<RangeMaker<B>>
  /**
   * Chains that can re-organise: the highest height at or below the stored tip on which store and chain still agree.
   * Left out for chains whose accepted blocks are final.
   */
  fork?(tip: StreamTip, signal: AbortSignal): Promise<bigint>
  /**
   * Chains whose accepted blocks are final: whether the chain has the stored tip, called before `open`. False only where
   * another block is there: who has none of that height yet says nothing.
   */
  has?(tip: StreamTip, signal: AbortSignal): Promise<boolean>
  /**
   * Chains that execute blocks after they were accepted: what has to be written anew of the blocks at the stored tip,
   * because the nodes tell it otherwise now and no block has settled it. Called before `open`; undefined = nothing.
   */
  unsettled?(progress: StreamProgress, signal: AbortSignal): Promise<EvmRewrite | undefined>
  /**
   * A piece of work on what is stored already and lacks something, done while the stream stands at the tip.
   * @returns after how many milliseconds the next piece is worth while
   */
  mend?(signal: AbortSignal): Promise<number>
  /** Words for people about how it is read, for status and health: `proposers unknown`, `genesis inferred`. */
  notes?(): readonly string[]
}

/** Turns blocks into rows, in order; keeps in memory what it needs of the past. A failure makes it unusable. */
export interface RangeMaker<B extends StreamBlock> {
  apply(blocks: readonly B[]): RangeContent | Promise<RangeContent>
}

export interface RangeContent {
  rows: RangeRows
  /** What `open` needs to go on behind this range and does not find in the rows. */
  state?: string
  /** Unix seconds of the last block, where only applying it tells. */
  time?: bigint
}

/** Any of them. */
// biome-ignore lint/suspicious/noExplicitAny: each stream has blocks of its own, which only it and its maker see
export type AnyStream = ChainStream<any>
