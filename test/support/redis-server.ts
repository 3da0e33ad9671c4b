import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Redis } from 'ioredis'
import { freePort } from './free-port.ts'

/** Why tests over Redis cannot run here; undefined = they can. Where everything must be tested that is an error. */
export function whyNoRedis(): string | undefined {
  if (spawnSync('redis-server', ['--version']).status === 0) return undefined
  const why = 'no Redis is installed (Debian: apt-get install redis-server)'
  if (process.env['CI']) throw new Error(why)
  return why
}

/** A real Redis of its own on loopback; the Debian package `redis-server` brings the program. */
export interface RedisServer {
  url: string
  port: number
  /** Ends it at once, as a crash would. */
  kill(): Promise<void>
  /** Starts it again, empty, on the same port. */
  restart(): Promise<void>
  /** Stops it in its tracks: connections stay open and nobody answers. */
  freeze(): void
  thaw(): void
  stop(): Promise<void>
}

export async function startRedis(flags: readonly string[] = []): Promise<RedisServer> {
  const folder = await mkdtemp(join(tmpdir(), 'firn-redis-'))
  const port = await freePort()
  let child = await launch(port, folder, flags)
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    kill,
    restart: async () => {
      child = await launch(port, folder, flags)
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    stop: async () => {
      await kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export interface RedisCluster {
  url: string
  nodes: readonly RedisServer[]
  stop(): Promise<void>
}

/** Two nodes with half of the slots each. */
export async function startRedisCluster(): Promise<RedisCluster> {
  const nodes = await Promise.all([startRedis(CLUSTER_FLAGS), startRedis(CLUSTER_FLAGS)])
  const clients = nodes.map(({ url }) => new Redis(url))
  const [first, second] = clients as [Redis, Redis]
  await first.call('CLUSTER', 'ADDSLOTSRANGE', '0', '8191')
  await second.call('CLUSTER', 'ADDSLOTSRANGE', '8192', '16383')
  await first.call('CLUSTER', 'MEET', '127.0.0.1', String(nodes[1]?.port))
  for (const client of clients) await until(async () => (await clusterInfo(client)).includes('cluster_state:ok'))
  for (const client of clients) client.disconnect()
  return {
    url: nodes[0]?.url ?? '',
    nodes,
    stop: async () => {
      await Promise.all(nodes.map((node) => node.stop()))
    },
  }
}

const CLUSTER_FLAGS = ['--cluster-enabled', 'yes']

const clusterInfo = async (client: Redis): Promise<string> => String(await client.call('CLUSTER', 'INFO'))

async function launch(port: number, folder: string, flags: readonly string[]): Promise<ChildProcess> {
  const child = spawn(
    'redis-server',
    ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder, ...flags],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  )
  const failed = once(child, 'error').then(([error]) => {
    throw new Error('redis-server does not start; it is in the Debian package redis-server', { cause: error })
  })
  const ready = (async () => {
    for await (const line of createInterface(child.stdout)) if (line.includes('Ready to accept connections')) return
    throw new Error('redis-server ended before it was ready')
  })()
  await Promise.race([ready, failed])
  child.stdout.resume()
  return child
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20))
}
