import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { Redis } from 'ioredis'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { startRedisCluster, whyNoRedis } from '../support/programs/redis-server.ts'
import { eventually } from '../support/waiting/eventually.ts'
import { connect, inAMinute, redis } from './shared.ts'

const missing = whyNoRedis()
if (missing) console.warn(`sharing is not tested: ${missing}`)

afterEach(() => vi.useRealTimers())

describe.skipIf(missing)('counters', () => {
  it('sum over all processes, key by key', async () => {
    const { url } = await redis()
    const [one, other] = await Promise.all([connect(url), connect(url)])
    expect(await one.counters.add('a', 20, inAMinute())).toBe(20)
    expect(await other.counters.add('a', 5, inAMinute())).toBe(25)
    expect(await other.counters.add('b', 1, inAMinute())).toBe(1)
  })

  it('count every one of many additions at once', async () => {
    const { url } = await redis()
    const processes = await Promise.all([connect(url), connect(url), connect(url)])
    const sums = await Promise.all(
      Array.from({ length: 300 }, (_, index) => processes[index % 3]?.counters.add('busy', 1, inAMinute())),
    )
    expect(new Set(sums).size).toBe(300)
    expect(Math.max(...sums.map(Number))).toBe(300)
  })

  it('add nothing to what would be above a limit', async () => {
    const { url } = await redis()
    const [one, other] = await Promise.all([connect(url), connect(url)])
    expect(await one.counters.add('a', 60, inAMinute(), 100)).toBe(60)
    expect(await other.counters.add('a', 50, inAMinute(), 100)).toBe(110)
    expect(await other.counters.add('a', 40, inAMinute(), 100)).toBe(100)
  })

  it('hold whatever time the server has: its clock may be minutes ahead', async () => {
    const { url } = await redis()
    const { counters } = await connect(url)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 120_000 })
    expect(await counters.add('a', 20, inAMinute())).toBe(20)
    expect(await counters.add('a', 20, inAMinute())).toBe(40)
  })

  it('start anew when their time is over', async () => {
    const { url } = await redis()
    const { counters } = await connect(url)
    await counters.add('short', 7, Date.now() + 50)
    await eventually(async () => expect(await counters.add('short', 1, inAMinute())).toBe(1))
  })
})

describe.skipIf(missing)('values', () => {
  it('written by one are read by another, until their time is over', async () => {
    const { url } = await redis()
    const [one, other] = await Promise.all([connect(url), connect(url)])
    await one.values.set(
      [
        ['x', 'first'],
        ['y', ''],
      ],
      60_000,
    )
    await one.values.set([['z', 'brief']], 30)
    expect(await other.values.get(['y', 'x', 'absent'])).toEqual(['', 'first', undefined])
    await eventually(async () => expect(await other.values.get(['z'])).toEqual([undefined]))
  })

  it('tell how long they live, by no clock of a process', async () => {
    const { url } = await redis()
    const [one, other] = await Promise.all([connect(url), connect(url)])
    expect(await other.values.left('x')).toBe(0)
    await one.values.set([['x', '1']], 60_000)
    const left = await other.values.left('x')
    expect(left).toBeGreaterThan(0)
    expect(left).toBeLessThanOrEqual(60_000)
  })

  it('give a turn to one at a time', async () => {
    const { url } = await redis()
    const [one, other] = await Promise.all([connect(url), connect(url)])
    const turns = await Promise.all([one, other].map(({ values }) => values.takeTurn('work', 60_000)))
    expect(turns.toSorted()).toEqual([false, true])
    await one.values.giveTurnBack('work')
    expect(await other.values.takeTurn('work', 60_000)).toBe(true)
    expect(await other.values.takeTurn('of any length', 0.4)).toBe(true)
    expect(await other.values.takeTurn('of part of a millisecond', 59_999.5)).toBe(true)
  })

  it('are apart under another prefix', async () => {
    const { url } = await redis()
    const [one, other] = await Promise.all([connect(url), connect(url, { keyPrefix: 'staging:' })])
    await one.values.set([['x', '1']], 60_000)
    expect(await other.values.get(['x'])).toEqual([undefined])
  })
})

describe.skipIf(missing)('a server that is away', () => {
  it('costs no wait, is told of, and is used again when it is back', async () => {
    const server = await redis()
    const { counters, values, changes, server: shared } = await connect(server.url)
    expect(shared.status().state).toBe('shared')
    await server.kill()
    await eventually(() => expect(shared.status().state).toBe('alone'))
    expect(await counters.add('a', 1, inAMinute())).toBeUndefined()
    expect(await values.get(['a'])).toEqual([undefined])
    expect(await values.takeTurn('a', 1_000)).toBeUndefined()
    expect(await values.left('a')).toBe(0)
    await values.set([['a', '1']], 1_000)
    await server.restart()
    await eventually(() => expect(shared.status()).toMatchObject({ state: 'shared' }))
    expect(shared.status().trouble).toBeUndefined()
    expect(await counters.add('a', 1, inAMinute())).toBe(1)
    expect(changes.map(({ state }) => state).filter((state, at, all) => state !== all[at - 1])).toEqual([
      'shared',
      'alone',
      'shared',
    ])
  })

  it('may be away from the start', async () => {
    const server = await redis()
    await server.kill()
    const { counters, server: shared } = await connect(server.url)
    expect(await counters.add('a', 1, inAMinute())).toBeUndefined()
    expect(shared.status()).toMatchObject({ state: 'alone', trouble: 'ECONNREFUSED' })
  })

  it('that hangs is waited for no longer than allowed', async () => {
    const server = await redis()
    const { counters } = await connect(server.url, { timeoutMs: 50 })
    server.freeze()
    expect(await counters.add('a', 1, inAMinute())).toBeUndefined()
    server.thaw()
  })

  it('that hangs is told of without being asked, is waited for no more, and is used again', async () => {
    const server = await redis()
    const { counters, server: shared } = await connect(server.url, { timeoutMs: 50 })
    server.freeze()
    await eventually(() => expect(shared.status()).toMatchObject({ state: 'alone', trouble: 'no answer in time' }))
    // No question goes out, so none can wait.
    const asked = vi.fn(async () => 1)
    expect(await shared.ask(asked)).toBeUndefined()
    expect(asked).not.toHaveBeenCalled()
    server.thaw()
    await eventually(() => expect(shared.status()).toMatchObject({ state: 'shared' }))
    expect(await counters.add('a', 1, inAMinute())).toBe(1)
  })

  it('is not taken for one by a process that stood still itself', async () => {
    const { url } = await redis()
    const { counters, server: shared, changes } = await connect(url, { timeoutMs: 1_000 })
    const open = Promise.all(Array.from({ length: 10 }, (_, at) => counters.add(`k${at}`, 1, inAMinute())))
    // The answers lie there unread, and the clock has run on.
    const until = performance.now() + 1_500
    while (performance.now() < until);
    await open
    expect(shared.status().state).toBe('shared')
    await eventually(async () => expect(await counters.add('after', 1, inAMinute())).toBeGreaterThan(0))
    expect(changes.map(({ state }) => state)).toEqual(['shared'])
  })

  it('that hangs for long is left for a new connection', async () => {
    const server = await redis()
    const { server: shared } = await connect(server.url, { timeoutMs: 50 })
    const name = async () => (await shared.ask((client) => client.call('CLIENT', 'ID'))) as number
    const first = await name()
    server.freeze()
    await eventually(() => expect(shared.status().trouble).toBe('no answer in time'))
    // Another connection cannot come about while it hangs; that the first one was given up is what is told.
    await eventually(() => expect(shared.status().trouble).not.toBe('no answer in time'))
    server.thaw()
    await eventually(() => expect(shared.status()).toMatchObject({ state: 'shared' }))
    expect(await name()).toBeGreaterThan(first)
  })

  it.each([
    ['is full', 'OOM', ['CONFIG', 'SET', 'maxmemory', '1'], ['CONFIG', 'SET', 'maxmemory', '0']],
    ['became a copy of another', 'READONLY', ['REPLICAOF', '127.0.0.1', '1'], ['REPLICAOF', 'NO', 'ONE']],
  ])('that %s is away, though it answers reads: told by its own word', async (_, trouble, breakIt, mendIt) => {
    const server = await redis()
    const { counters, values, server: shared } = await connect(server.url)
    const operator = new Redis(server.url)
    onTestFinished(() => operator.disconnect())
    const reading = setInterval(() => void values.get(['a']), 20)
    onTestFinished(() => clearInterval(reading))
    const [command = '', ...rest] = breakIt
    await operator.call(command, ...rest)
    await eventually(() => expect(shared.status()).toMatchObject({ state: 'alone', trouble }))
    // Nor is it called shared for as long as a process that starts has not been refused yet.
    const later = await connect(server.url)
    expect(later.server.status()).toMatchObject({ state: 'alone', trouble })
    expect(later.changes.map(({ state }) => state)).not.toContain('shared')
    const [mend = '', ...mending] = mendIt
    await operator.call(mend, ...mending)
    await eventually(() => expect(shared.status()).toMatchObject({ state: 'shared' }))
    expect(await counters.add('a', 1, inAMinute())).toBe(1)
  })

  it('that lacks the database of the URL is away: nothing is kept in another one', async () => {
    const server = await redis(['--databases', '4'])
    const { server: shared, counters } = await connect(`${server.url}/4`)
    const trouble = 'refuses the database of the URL'
    await eventually(() => expect(shared.status()).toMatchObject({ state: 'alone', trouble }))
    const { values, counters: right } = await connect(`${server.url}/3`)
    expect(await right.add('a', 1, inAMinute())).toBe(1)
    expect(await counters.add('a', 1, inAMinute())).toBeUndefined()
    const operator = new Redis(server.url)
    onTestFinished(() => operator.disconnect())
    expect(await operator.call('INFO', 'keyspace')).toMatch(/^# Keyspace\r\ndb3:[^\r]*\r\n$/)
    expect(await values.get(['a'])).toEqual(['1'])
    expect(shared.status()).toMatchObject({ state: 'alone', trouble })
  })

  it.each([
    ['is none', (socket: Socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'), 'what answers is no Redis server'],
    ['says nothing', () => undefined, 'no answer in time'],
  ])('that %s is told of in words', async (_, answer, trouble) => {
    const other = createServer((socket) => socket.on('error', () => {}).once('data', () => answer(socket)))
    await once(other.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => void other.close())
    const { port } = other.address() as AddressInfo
    const { server: shared } = await connect(`redis://127.0.0.1:${port}`, { timeoutMs: 50 })
    await eventually(() => expect(shared.status()).toMatchObject({ state: 'alone', trouble }))
  })

  it('that refuses the password is told of without the password', async () => {
    const server = await redis(['--requirepass', 'right'])
    const { server: shared, counters } = await connect(server.url.replace('//', '//:hunter2@'))
    expect(await counters.add('a', 1, inAMinute())).toBeUndefined()
    expect(JSON.stringify(shared.status())).not.toContain('hunter2')
    expect(shared.status().state).toBe('alone')
    const { counters: right } = await connect(server.url.replace('//', '//:right@'))
    expect(await right.add('a', 1, inAMinute())).toBe(1)
  })
})

it.skipIf(missing)('a cluster serves keys of all its nodes', async () => {
  const cluster = await startRedisCluster()
  onTestFinished(() => cluster.stop())
  const { values, counters } = await connect(cluster.url, { cluster: true })
  const entries = Array.from({ length: 50 }, (_, index) => [`key-${index}`, String(index)] as const)
  await eventually(async () => expect(await counters.add('ready', 1, inAMinute())).toBeGreaterThan(0))
  await values.set(entries, 60_000)
  expect(await values.get(entries.map(([key]) => key))).toEqual(entries.map(([, value]) => value))
  const sums = await Promise.all(entries.map(([key]) => counters.add(`sum-${key}`, 3, inAMinute())))
  expect(sums).toEqual(entries.map(() => 3))
})

it.skipIf(missing)('a cluster that is away is told of, and used again when it is back', async () => {
  const cluster = await startRedisCluster()
  onTestFinished(() => cluster.stop())
  const { counters, server } = await connect(cluster.url, { cluster: true })
  await eventually(async () => expect(await counters.add('ready', 1, inAMinute())).toBeGreaterThan(0))
  await Promise.all(cluster.nodes.map((node) => node.kill()))
  await eventually(() => expect(server.status().state).toBe('alone'))
  expect(await counters.add('a', 1, inAMinute())).toBeUndefined()
  await Promise.all(cluster.nodes.map((node) => node.restart()))
  await eventually(() => expect(server.status().state).toBe('shared'))
  await eventually(async () => expect(await counters.add('a', 1, inAMinute())).toBeGreaterThan(0))
})
