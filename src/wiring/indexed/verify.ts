import type { Config } from '../../config/index.ts'
import { CHAIN_LETTERS, SIDES } from '../../facts/primary-network.ts'
import type { Indexer } from '../../indexer/index.ts'
import { type VerifyReport, verifyIndex } from '../../indexer/verify/index.ts'
import { createLogger } from '../../lib/logging/logger.ts'
import { type Core, createCore } from '../core.ts'
import { configuredStreams, isIndexed } from './evm-streams.ts'
import { createServerIndexer } from './indexer.ts'

export interface VerifyOptions {
  /** Addresses, outputs and L1 validators per network and heights per stream. */
  samples: number
  seconds: number
  seed: number
}

/**
 * Compares the configured index with the configured nodes; opens and closes store and connections for it. An embedded
 * database is meanwhile used by this process, which therefore also follows the chains: spendable outputs can be
 * compared only when index and nodes are at the same blocks. A database server is never written to.
 * @throws NoSchemaError or OlderSchemaError when the database there is empty or of an earlier version
 */
export async function runVerify(config: Config, options: VerifyOptions, signal: AbortSignal): Promise<VerifyReport> {
  // The database may belong to a running server, so this process must not change it.
  const migrates = config.store.databaseUrl === undefined
  const core = createCore(config, createLogger({ level: 'error' }), { migrates })
  const { store, chains, market, sharing, tracing, loggers } = core
  let indexer: Indexer | undefined
  try {
    await store.open()
    indexer = await createFollower(config, core)
    indexer?.start()
    return await verifyIndex({
      reader: store.reader,
      networks: SIDES.flatMap((name) => {
        const network = chains.networks[name]
        const letters = CHAIN_LETTERS.filter((letter) => isIndexed(config, `${name}:${letter}`))
        return network && letters.length > 0 ? [{ name, network, letters }] : []
      }),
      evm: Object.keys(config.chains.evm).flatMap((id) => {
        const name = `eip155:${id}`
        const pool = isIndexed(config, name) ? chains.pools.find((one) => one.name === name) : undefined
        return pool ? [{ name, chainId: BigInt(id), pool, path: '' }] : []
      }),
      samples: options.samples,
      durationMs: options.seconds * 1000,
      seed: options.seed,
      signal,
    })
  } finally {
    await indexer?.stop()
    await Promise.all([market.close(), chains.close()])
    await tracing?.close()
    sharing?.server.close()
    await store.close()
    loggers.named.close()
  }
}

/**
 * Follows the streams of an embedded database and starts no missing ones: those are to be reported, and perhaps no
 * server follows them.
 */
async function createFollower(config: Config, { chains, store, logger }: Core): Promise<Indexer | undefined> {
  if (store.kind !== 'embedded' || !config.index.enabled) return undefined
  const has = new Set((await store.reader.progress()).map(({ stream }) => stream))
  const streams = configuredStreams(config).filter((name) => has.has(name))
  if (streams.length === 0) return undefined
  return createServerIndexer({ ...config, index: { ...config.index, streams } }, { chains, store, logger })
}
