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
  /** Makes the stream known (or finds it) and answers how far it is. To be called before anything else about it. */
  register(stream: StreamDefinition): Promise<StreamProgress>
  /**
   * Notes which network the index of a name is of, once; from then on it has to be the same. To be called behind
   * `register`.
   * @throws OtherNetworkError when the index is of another network
   */
  keepNetwork(name: string, network: IndexedNetwork): Promise<void>
  /**
   * Computes what the commit of these rows can be spared, while the range before them is still being written. Nothing
   * depends on it.
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
  /** What is open on P, read as one state of the database, for the indexer's start. `stream` is a P stream. */
  openStaking(stream: string): Promise<OpenStaking>
  /**
   * Notes that the tip was compared with the chain's now, so that the age of an index at the tip stays small.
   * @param tip what was compared; undefined where nothing is committed
   * @throws RangeGapError, RangeParentError when it is not the stored one
   */
  confirmTip(stream: string, tip: StoredTip | undefined): Promise<void>
  /** Notes that the chain has another block where the tip is stored: nothing is served of it until it is confirmed again. */
  disownTip(stream: string): Promise<void>
  /**
   * Undoes an EVM stream down to `height`, whose block becomes the tip.
   * @throws RangeContentError for streams of the primary network, whose blocks are final
   */
  rewind(stream: string, height: bigint): Promise<void>
  /**
   * Writes the EVM rows of the blocks at the tip anew, in one transaction; all else about them stays.
   * @throws RangeGapError, RangeParentError when `tip` is not the stored one
   */
  rewriteTip(stream: string, tip: StoredTip, rewrite: EvmRewrite): Promise<void>
  /**
   * The newest blocks of which nobody told what contracts sent.
   * @param most so many at once
   * @param below only blocks of lesser heights
   */
  untraced(stream: string, most: number, below?: bigint): Promise<UntracedBlocks>
  /** Adds what was told of such blocks, which are none any more. Nothing happens where the stream has left their branch. */
  fillTraces(stream: string, traces: EvmTracesLater): Promise<void>
  /**
   * Waits until this process is the one that indexes. Another process with the same database waits as hot standby.
   * A newer version of this program that migrates the database ends the lead with the next range.
   * @throws CancelledError when `signal` is aborted first; NewerSchemaError when the database is migrated already
   */
  lead(signal: AbortSignal): Promise<Leadership>
}

/** The last block of a stream. */
export interface StoredTip {
  height: bigint
  blockId: string
}

export interface UntracedBlocks {
  /** Without a hole, in their order; none where nothing is missing. */
  blocks: StoredTip[]
  /** How many there are at most, of all heights. */
  missing: bigint
}

export interface Leadership {
  /** Aborted when the lock is gone (connection lost), or the schema is of a newer version: stop writing, then `lead` again. */
  readonly lost: AbortSignal
  release(): Promise<void>
}
