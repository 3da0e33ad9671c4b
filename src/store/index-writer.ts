import type { IndexedNetwork } from './network-identity.ts'
import type {
  EvmRewrite,
  EvmTracesLater,
  OpenStaking,
  RangeProgress,
  RangeRows,
  StreamDefinition,
  StreamProgress,
} from './rows/index.ts'

/** The writing side of the index. One process writes; the progress in the database keeps a second one out. */
export interface IndexWriter {
  /** Registers the stream (or finds it) and returns its progress. Call it before anything else about the stream. */
  register(stream: StreamDefinition): Promise<StreamProgress>
  /**
   * Records once which network a name's index belongs to; from then on it has to be the same. Call it after `register`.
   * @throws OtherNetworkError when the index is of another network
   */
  keepNetwork(name: string, network: IndexedNetwork): Promise<void>
  /**
   * Precomputes part of the commit of these rows while the previous range is still being written. Optional.
   * @throws RangeContentError for rows that contradict each other
   */
  prepareRange(stream: string, rows: RangeRows): void
  /**
   * Writes a range and its progress in one transaction.
   * @throws RangeGapError when `from` is not the stored height plus one
   * @throws RangeParentError when `parentId` is not the stored tip
   * @throws RangeContentError when a spend or release names something that is not there or is gone already
   */
  commitRange(stream: string, rows: RangeRows, progress: RangeProgress): Promise<void>
  /** Open state of P, read as one state of the database, for the indexer's start. `stream` is a P stream. */
  openStaking(stream: string): Promise<OpenStaking>
  /**
   * Records that the tip was compared with the chain's now, so that the age of an index at the tip stays small.
   * @param tip the tip that was compared; undefined if nothing is committed
   * @throws RangeGapError, RangeParentError when it is not the stored one
   */
  confirmTip(stream: string, tip: StoredTip | undefined): Promise<void>
  /**
   * Records that the chain has another block at the stored tip: nothing is served from it until it is confirmed again.
   */
  disownTip(stream: string): Promise<void>
  /** A block of an EVM stream, to find where the chain left the stored branch; undefined if there is none. */
  evmBlock(stream: string, height: bigint): Promise<StoredEvmBlock | undefined>
  /**
   * Contracts of the blocks up to a height whose names a rewind to it forgets, since their tokens moved above it; hex.
   * @param before those whose names are forgotten already; the ones of later blocks are left out
   */
  forgottenAbove(stream: string, height: bigint, before: readonly string[]): Promise<string[]>
  /**
   * Rewinds an EVM stream to `height`, whose block becomes the tip.
   * @param state see `RangeProgress.state`
   * @throws RangeContentError for streams of the primary network, whose blocks are final
   */
  rewind(stream: string, height: bigint, state?: string): Promise<void>
  /**
   * Rewrites the EVM rows of the blocks at the tip, in one transaction; all other rows stay.
   * @throws RangeGapError, RangeParentError when `tip` is not the stored one
   */
  rewriteTip(stream: string, tip: StoredTip, rewrite: EvmRewrite): Promise<void>
  /**
   * The newest blocks without traces.
   * @param most most blocks to return
   * @param below only blocks of lesser heights
   */
  untraced(stream: string, most: number, below?: bigint): Promise<UntracedBlocks>
  /** Adds the traces of such blocks, which are then complete. Does nothing if the stream has left their branch. */
  fillTraces(stream: string, traces: EvmTracesLater): Promise<void>
  /**
   * Waits until this process is the indexer. Another process with the same database waits as hot standby. If a newer
   * version of this program migrates the database, the lead ends with the next range.
   * @param onStandby called once another process is found to be it
   * @throws CancelledError when `signal` is aborted first; NewerSchemaError when the database is migrated already
   */
  lead(signal: AbortSignal, onStandby?: () => void): Promise<Leadership>
}

/** The last block of a stream. */
export interface StoredTip {
  height: bigint
  blockId: string
}

export interface StoredEvmBlock {
  /** Hex. */
  hash: string
  /** Transactions of the chain up to and including it. */
  count: bigint
}

export interface UntracedBlocks {
  /** Without a gap, in order; empty if no traces are missing. */
  blocks: StoredTip[]
  /** Upper bound of their number, over all heights. */
  missing: bigint
}

export interface Leadership {
  /**
   * Aborted when the lock is gone (connection lost), or the schema is of a newer version: stop writing, then call
   * `lead` again.
   */
  readonly lost: AbortSignal
  release(): Promise<void>
}
