import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createSharedNews } from '../../src/sharing/index.ts'
import { type RedisServer, startRedisCluster, whyNoRedis } from '../support/programs/redis-server.ts'
import { eventually } from '../support/waiting/eventually.ts'
import { connect, inAMinute } from './shared.ts'

const missing = whyNoRedis()

/** Keys of all parts of the cluster. */
const KEYS = Array.from({ length: 30 }, (_, index) => `sum-${index}`)

/** Three nodes that own slots, a copy of the first, and a process that shares through them and hears news. */
async function start(nodeTimeoutMs: number) {
  const cluster = await startRedisCluster({ owners: 3, copies: 1, nodeTimeoutMs })
  onTestFinished(() => cluster.stop())
  const process = await connect(cluster.url, { cluster: true, timeoutMs: 250 })
  const news = createSharedNews(process.server, 'told')
  const heard: string[] = []
  news.listen((text) => heard.push(text))
  const addAll = () => Promise.all(KEYS.map((key) => process.counters.add(key, 1, inAMinute())))
  return { ...process, cluster, addAll, hears: () => hears(news.tell, heard) }
}

async function hears(tell: (text: string) => void, heard: string[]): Promise<void> {
  await eventually(async () => {
    heard.length = 0
    tell('news')
    await sleep(50)
    expect(heard).toContain('news')
  })
}

async function hasListeners({ url }: RedisServer): Promise<boolean> {
  const client = new Redis(url)
  const [, count] = (await client.call('PUBSUB', 'NUMSUB', 'firn:told')) as [string, number]
  client.disconnect()
  return count > 0
}

/** Cuts the connections of all clients of a node. */
async function cutAll(url: string): Promise<void> {
  const client = new Redis(url)
  for (const type of ['NORMAL', 'PUBSUB']) await client.call('CLIENT', 'KILL', 'TYPE', type)
  client.disconnect()
}

describe.skipIf(missing)('a cluster', () => {
  it('is shared again once a copy has taken the place of a node, be it the one of the URL', async () => {
    // As long as real ones take, five seconds and more: the cluster is down for so long.
    const { cluster, addAll, hears, server } = await start(6_000)
    await eventually(async () => expect(await addAll()).not.toContain(undefined))
    await cluster.nodes[0]?.kill()
    // Calls go on meanwhile, as those of clients do: those that go out together come back with different places.
    await eventually(async () => expect(await addAll()).not.toContain(undefined))
    await hears()
    expect(server.status().state).toBe('shared')
  })

  it('is found again by whoever lost all connections while the node of the URL is gone for good', async () => {
    const { cluster, addAll, hears, server } = await start(500)
    await eventually(async () => expect(await addAll()).not.toContain(undefined))
    const [gone, ...others] = cluster.nodes as RedisServer[]
    await gone?.kill()
    await eventually(async () => expect(await addAll()).not.toContain(undefined))
    // Whoever asks for the list of nodes meanwhile keeps a connection.
    await eventually(async () => {
      for (const { url } of others) await cutAll(url)
      expect(server.status().state).toBe('alone')
    })
    await eventually(async () => expect(await addAll()).not.toContain(undefined))
    await hears()
    expect(server.status().state).toBe('shared')
  })

  it('is found at a start while the node of the URL is away, by another one that is named', async () => {
    const cluster = await startRedisCluster({ owners: 3, copies: 1, nodeTimeoutMs: 500 })
    onTestFinished(() => cluster.stop())
    const [gone, second, third] = cluster.nodes as [RedisServer, RedisServer, RedisServer]
    await gone.kill()
    const alone = await connect(gone.url, { cluster: true })
    expect(alone.server.status().state).toBe('alone')
    const nodes = [second, third].map(({ url }) => new URL(url).host)
    const { counters, server } = await connect(gone.url, { cluster: true, nodes })
    await eventually(async () =>
      expect(await Promise.all(KEYS.map((key) => counters.add(key, 1, inAMinute())))).not.toContain(undefined),
    )
    expect(server.status().state).toBe('shared')
    expect(alone.server.status().state).toBe('alone')
  })

  it('hands on news although the node that told them hangs', async () => {
    const { cluster, hears } = await start(500)
    await hears()
    // Which one it is cannot be chosen: until it is the one with a copy, its connection is cut.
    const [first] = cluster.nodes as [RedisServer]
    await eventually(async () => {
      if (await hasListeners(first)) return
      for (const { url } of cluster.nodes) {
        const client = new Redis(url)
        await client.call('CLIENT', 'KILL', 'TYPE', 'pubsub')
        client.disconnect()
      }
      await sleep(200)
      throw new Error('another node tells the news')
    })
    first.freeze()
    await hears()
  })
})
