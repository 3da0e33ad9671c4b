/**
 * Follows chains and writes them into the store: fetch → decode → apply → commit, one stream per chain. `runner` drives
 * any stream, `primary` holds P, X and C, `evm` the EVM chains; `verify` compares the index with nodes.
 */
export { createIndexer, type Indexer, type IndexerDeps, type IndexerStatus } from './indexer.ts'
export type {
  AnyStream,
  BlockApplier,
  ChainStream,
  Page,
  RangeContent,
  StreamBlock,
  StreamTip,
} from './runner/stream.ts'
export type { RunnerTimes } from './runner/stream-runner.ts'
export type { StreamPhase, StreamStatus } from './runner/stream-status.ts'
