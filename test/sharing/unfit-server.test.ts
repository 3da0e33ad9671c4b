import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startRedisCluster, whyNoRedis } from '../support/programs/redis-server.ts'
import { connect, inAMinute, redis } from './shared.ts'

const missing = whyNoRedis()

/** What `docs/deployment.md` lists for a user of the server, and what in a cluster comes with it. */
const MANUAL = '+set +get +del +pttl +incrby +decrby +pexpire +eval +info +publish +subscribe'
const MANUAL_OF_A_CLUSTER = `${MANUAL} +cluster|slots +cluster|info`

/** Makes the user `firn` with these permissions; answers the URL with it. */
async function userOf(url: string, permissions: string): Promise<string> {
  const operator = new Redis(url)
  await operator.call('ACL', 'SETUSER', 'firn', 'on', '>pw', '~firn:*', '&firn:*', '-@all', ...permissions.split(' '))
  operator.disconnect()
  return url.replace('//', '//firn:pw@')
}

describe.skipIf(missing)('a server', () => {
  it.each([
    ['less than is asked', '+@all -incrby'],
    ['no script', '+@all -eval'],
  ])('whose user may run %s is away', async (_, permissions) => {
    const { url } = await redis()
    const { counters, server } = await connect(await userOf(url, permissions))
    expect(server.status()).toMatchObject({ state: 'alone', trouble: 'NOPERM' })
    expect(await counters.add('a', 1, inAMinute())).toBeUndefined()
  })

  it('whose user may do what the manual lists is shared', async () => {
    const { url } = await redis()
    const { counters, values, server } = await connect(await userOf(url, MANUAL))
    expect(await counters.add('a', 1, inAMinute(), 1)).toBe(1)
    expect(await counters.add('a', 1, inAMinute(), 1)).toBe(2)
    expect(await values.takeTurn('work', 60_000)).toBe(true)
    expect(await values.left('work')).toBeGreaterThan(0)
    await values.giveTurnBack('work')
    expect(await values.get(['work'])).toEqual([undefined])
    expect(server.status().state).toBe('shared')
  })

  it('whose commands were renamed is away', async () => {
    const { url } = await redis(['--rename-command', 'EVAL', ''])
    const { server } = await connect(url)
    expect(server.status()).toMatchObject({ state: 'alone', trouble: 'lacks a command' })
  })

  it('that is one node of a cluster is away where no cluster is configured: it has a part of the keys', async () => {
    const cluster = await startRedisCluster()
    onTestFinished(() => cluster.stop())
    const trouble = 'is one node of a cluster, which redis.cluster tells'
    for (const { url } of cluster.nodes) {
      const { counters, server, changes } = await connect(url)
      await Promise.all(Array.from({ length: 20 }, (_, index) => counters.add(`sum-${index}`, 1, inAMinute())))
      expect(server.status()).toMatchObject({ state: 'alone', trouble })
      await sleep(2_500)
      expect(server.status()).toMatchObject({ state: 'alone', trouble })
      expect(changes.filter(({ state }) => state === 'shared').length).toBeLessThan(2)
    }
  })

  it('that is a cluster which does not tell its nodes to the user is away, and why', async () => {
    const cluster = await startRedisCluster()
    onTestFinished(() => cluster.stop())
    const [url = ''] = await Promise.all(cluster.nodes.map((node) => userOf(node.url, MANUAL)))
    const { server } = await connect(url, { cluster: true })
    await expect.poll(() => server.status()).toMatchObject({ state: 'alone', trouble: 'NOPERM' })
  })

  it('that is a cluster is shared with what the manual lists for it', async () => {
    const cluster = await startRedisCluster()
    onTestFinished(() => cluster.stop())
    const [url = ''] = await Promise.all(cluster.nodes.map((node) => userOf(node.url, MANUAL_OF_A_CLUSTER)))
    const { counters } = await connect(url, { cluster: true })
    const sums = () => Promise.all([1, 2, 3, 4].map((key) => counters.add(`sum-${key}`, 1, inAMinute())))
    await expect.poll(sums).not.toContain(undefined)
  })
})
