import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type FirnProcess, startFirnProcess } from '../../support/programs/firn-process.ts'
import { startRedis } from '../../support/programs/redis-server.ts'
import { recordedIndex, untilIndexed } from '../../support/recorded/recorded-index.ts'
import { startPostgres } from '../../support/store/postgres-server.ts'
import { type LoadUpstreams, startUpstreams } from '../load/upstreams.ts'

/** Two processes that serve the same, and what they need. */
export interface Servers {
  upstreams: LoadUpstreams
  /** Balances and index, over one Postgres and one Redis. */
  full: readonly [FirnProcess, FirnProcess]
  /** Forwarding to a node that costs as little as can be. */
  forwarding: readonly [FirnProcess, FirnProcess]
  redisUrl: string
  databaseUrl: string
  stop(): Promise<void>
}

async function startStub(): Promise<{ url: string; stop(): void }> {
  const child = fork(fileURLToPath(new URL('../forward/upstream.ts', import.meta.url)), {
    execArgv: ['--import', 'tsx'],
  })
  const [message] = (await once(child, 'message')) as [{ port: number }]
  return { url: `http://127.0.0.1:${message.port}`, stop: () => void child.kill() }
}

const two = async (configFile: string): Promise<readonly [FirnProcess, FirnProcess]> => {
  const start = (): Promise<FirnProcess> => startFirnProcess(configFile, ['--mode', 'api'])
  return [await start(), await start()]
}

/** Longer than everything together: the index stands still while it is read. */
const INDEX_AGE_MS = 3_600_000

export async function startServers(): Promise<Servers> {
  const [upstreams, postgres, redis, stub] = await Promise.all([
    startUpstreams({ fast: 0, middle: 0, slow: 0 }),
    startPostgres(),
    startRedis(),
    startStub(),
  ])
  const databaseUrl = await postgres.create('scale')
  const common = { http: { port: 0 }, log: { level: 'fatal' }, redis: { url: redis.url } }
  const configFile = upstreams.configure('scale', {
    ...common,
    store: { databaseUrl },
    node: { requestsPerSecond: 1_000_000 },
  })
  const indexer = await startFirnProcess(configFile)
  await untilIndexed(indexer.url)
  await indexer.end()
  const aged = upstreams.configure('scale-api', { ...common, store: { databaseUrl }, ...ageless(upstreams) })
  const full = await two(aged)
  const forwarding = await two(
    upstreams.configure('scale-forwarding', {
      ...common,
      node: { requestsPerSecond: 1_000_000 },
      index: { enabled: false },
      chains: { catalogue: false, avalanche: { testnet: { name: 'stub', upstreams: [{ url: stub.url }] } } },
    }),
  )
  return {
    upstreams,
    full,
    forwarding,
    redisUrl: redis.url,
    databaseUrl,
    async stop() {
      await Promise.all([...full, ...forwarding].map((one) => one.end()))
      stub.stop()
      await Promise.all([upstreams.stop(), redis.stop(), postgres.stop()])
    },
  }
}

const ageless = ({ facts }: LoadUpstreams): Record<string, unknown> => ({
  index: { ...recordedIndex(facts.nodeUrl).index, maxIndexAgeMs: INDEX_AGE_MS },
})
