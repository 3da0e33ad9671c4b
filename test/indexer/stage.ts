import { readFile } from 'node:fs/promises'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import { createAvalancheNetwork } from '../../src/chains/avalanche/index.ts'
import { createEvmLayer, type TracePolicy } from '../../src/indexer/evm/index.ts'
import { createIndexer, type Indexer, type RunnerTimes } from '../../src/indexer/index.ts'
import {
  createGenesisSource,
  createPrimaryStreams,
  type GenesisSource,
  type StakingRules,
} from '../../src/indexer/primary/index.ts'
import type { IndexWriter, Store } from '../../src/store/index.ts'
import { createUpstreamPool, type UpstreamPool } from '../../src/upstream/index.ts'
import { type ReplayNode, type ReplayNodeOptions, startReplayNode } from '../support/replay-node/index.ts'
import { TEST_LIMITS } from '../support/upstream/upstream-pool.ts'
import { until } from '../support/waiting/until.ts'
import { openVisibleStore, type Sql } from './database-dump.ts'

/** Waits are short, so that a test waits for work and not for clocks. */
const TIMES: Partial<RunnerTimes> = {
  pollMs: 20,
  retryMs: 10,
  maxRetryMs: 100,
  stalledMs: 60_000,
  reportMs: 60_000,
}

export const recordedGenesis = (): Promise<string> =>
  readFile(new URL('../fixtures/network/genesis.json', import.meta.url), 'utf8')

export interface StageOptions {
  /** One replay node each. Default: one without faults. */
  nodes?: readonly ReplayNodeOptions[]
  /** URLs asked instead of the nodes', for servers in front of them. */
  urls?: (nodes: readonly ReplayNode[]) => Promise<readonly string[]>
  /** What the index calls the network. */
  name?: string
  chains?: readonly ('P' | 'X' | 'C')[]
  /** `infer` = none is given. */
  genesis?: GenesisSource | 'infer'
  knownGenesis?: (xChainId: string) => GenesisSource | undefined
  staking?: StakingRules
  times?: Partial<RunnerTimes>
  keepContainers?: boolean
  pageBlocks?: number
  /** The EVM side of C as well, and whether blocks are traced. Left out: containers alone. */
  evm?: TracePolicy
  /** Stands between indexer and store. */
  writer?: (writer: IndexWriter) => IndexWriter
  level?: string
}

export interface Stage {
  nodes: ReplayNode[]
  pool: UpstreamPool
  store: Store
  indexer: Indexer
  sql: Sql
  /** Resolves once every stream stands at its node's tip; fails when one is blocked or it takes too long. */
  caughtUp(): Promise<void>
}

/** The recorded network, indexed into a database in memory. Everything ends with the test. */
export async function startStage(options: StageOptions = {}): Promise<Stage> {
  const nodes = await Promise.all((options.nodes ?? [{}]).map((node) => startReplayNode(node)))
  const urls = (await options.urls?.(nodes)) ?? nodes.map(({ url }) => url)
  const pool = createUpstreamPool(
    'recorded',
    urls.map((url) => ({ url })),
    TEST_LIMITS,
  )
  const { store, sql } = await openVisibleStore()
  const indexer = makeIndexer(options, pool, store)
  onTestFinished(async () => {
    await indexer.stop()
    await store.close()
    await pool.close()
    await Promise.all(nodes.map((node) => node.stop()))
  })
  indexer.start()
  return { nodes, pool, store, indexer, sql, caughtUp: () => caughtUp(indexer, nodes) }
}

/** An indexer over any store. */
export function makeIndexer(options: StageOptions, pool: UpstreamPool, store: Store): Indexer {
  const logger = pino({ level: options.level ?? 'silent' })
  const writer = options.writer?.(store.writer) ?? store.writer
  const streams = createPrimaryStreams({
    network: createAvalancheNetwork({ pool }),
    name: options.name ?? 'recorded',
    testnet: true,
    chains: options.chains ?? ['P', 'X', 'C'],
    evmChainId: 43_113n,
    ...(options.genesis === 'infer' ? {} : { genesis: options.genesis ?? createGenesisSource(recordedGenesis) }),
    knownGenesis: options.knownGenesis,
    ...(options.staking === undefined ? {} : { staking: options.staking }),
    writer,
    logger,
    keepContainers: options.keepContainers ?? true,
    ...(options.evm === undefined
      ? {}
      : { evm: createEvmLayer(pool, '/ext/bc/C/rpc', { traces: options.evm, writer }) }),
    ...(options.pageBlocks === undefined ? {} : { pageBlocks: options.pageBlocks }),
  })
  return createIndexer({ writer, streams, logger, times: { ...TIMES, ...options.times } })
}

export async function caughtUp(indexer: Indexer, nodes: readonly ReplayNode[]): Promise<void> {
  const behind = () =>
    indexer.status().streams.filter(({ name, height, phase, error }) => {
      if (phase === 'blocked') throw new Error(`${name}: ${error}`)
      const tips = nodes.map((node) => node.heights()[name.at(-1) as 'P'])
      return phase !== 'following' || Number(height) < Math.max(...tips)
    })
  const missing = () => `all streams catch up: ${JSON.stringify(behind(), (_, value) => String(value))}`
  await until(() => behind().length === 0, missing, 20)
}
