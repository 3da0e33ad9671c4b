import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Redis } from 'ioredis'
import { until } from '../waiting/until.ts'
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

/** Until so many processes are subscribed to every channel. */
export async function untilHeard(url: string, processes: number): Promise<void> {
  const client = new Redis(url)
  await until(async () => {
    const channels = (await client.pubsub('CHANNELS')) as string[]
    const counts = (await client.pubsub('NUMSUB', ...channels)) as (string | number)[]
    return channels.length > 0 && channels.every((_, at) => counts[2 * at + 1] === processes)
  }, `${processes} processes listen`)
  client.disconnect()
}

export interface RedisCluster {
  url: string
  nodes: readonly RedisServer[]
  stop(): Promise<void>
}

/**
 * Two nodes with half of the slots each, or as many as are asked for, and copies behind the first ones. A majority of those
 * with slots decides that a copy takes the place of one, so that takes three of them.
 */
export async function startRedisCluster({
  owners = 2,
  copies = 0,
  nodeTimeoutMs = 15_000,
} = {}): Promise<RedisCluster> {
  const flags = ['--cluster-enabled', 'yes', '--cluster-node-timeout', String(nodeTimeoutMs)]
  const nodes = await Promise.all(Array.from({ length: owners + copies }, () => startRedis(flags)))
  const clients = nodes.map(({ url }) => new Redis(url))
  const [first] = clients as [Redis]
  const edge = (index: number): number => Math.floor((index * 16_384) / owners)
  for (const [index, client] of clients.slice(0, owners).entries())
    await client.call('CLUSTER', 'ADDSLOTSRANGE', String(edge(index)), String(edge(index + 1) - 1))
  for (const { port } of nodes.slice(1)) await first.call('CLUSTER', 'MEET', '127.0.0.1', String(port))
  const isWhole = async (client: Redis) => String(await client.call('CLUSTER', 'INFO')).includes('cluster_state:ok')
  for (const client of clients) await until(() => isWhole(client), 'the cluster is whole')
  for (const [index, client] of clients.slice(owners).entries()) {
    const owner = String(await (clients[index] as Redis).call('CLUSTER', 'MYID'))
    await until(async () => String(await client.call('CLUSTER', 'NODES')).includes(owner), 'the owner is known')
    await client.call('CLUSTER', 'REPLICATE', owner)
    await until(async () => (await client.info('replication')).includes('master_link_status:up'), 'the copy follows')
  }
  for (const client of clients) client.disconnect()
  return {
    url: nodes[0]?.url ?? '',
    nodes,
    stop: async () => {
      await Promise.all(nodes.map((node) => node.stop()))
    },
  }
}

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
