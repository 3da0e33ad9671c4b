import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import type { AnswerVerdict } from '../../src/upstream/index.ts'
import type { FaultServer } from '../support/upstream/fault-server.ts'
import { heightProbe, startTestPool } from '../support/upstream/upstream-pool.ts'
import { until } from '../support/waiting/until.ts'

const noneIsNoAnswer = ({ body }: { body: Buffer }) =>
  body.equals(Buffer.from('none'))
    ? ({ kind: 'retry', reason: 'has none', behind: true } as const)
    : ({ kind: 'answer' } as const)

test('while one hangs, those that had no such thing are asked whether they have it by now', async () => {
  let told = 'none'
  const { pool, servers } = await startTestPool(
    [{ faults: { hang: 'headers' } }, { handle: () => ({ body: told }) }, { handle: () => ({ body: 'none' }) }],
    { limits: { hedgeMinMs: 10, headersTimeoutMs: 600_000 }, spec: (_url, index) => ({ priority: index }) },
  )
  const options = { judge: noneIsNoAnswer, deadline: Date.now() + 60_000 }
  const read = pool.exchange({ method: 'GET', path: '/' }, options)
  await until(() => servers[2]?.stats.requests === 1, 'all were asked')
  told = 'this'
  expect((await read).body.toString()).toBe('this')
})

test('they are so, too, where no hedge is left, and who hangs was asked behind them', async () => {
  let told = 'none'
  const { pool, servers, events } = await startTestPool(
    [{ handle: () => ({ body: told }) }, { handle: () => ({ body: 'none' }) }, { faults: { hang: 'headers' } }],
    {
      limits: { hedgeMinMs: 10, breakerFailures: 1_000, headersTimeoutMs: 600_000 },
      spec: (_url, index) => ({ priority: index }),
    },
  )
  servers[0]?.set({ hang: 'headers' })
  for (let index = 0; index < 11; index += 1) await pool.exchange({ method: 'GET', path: `/${index}` })
  expect(events.filter(({ kind }) => kind === 'hedge')).toHaveLength(11)
  servers[0]?.set({})
  const options = { judge: noneIsNoAnswer, deadline: Date.now() + 60_000 }
  const read = pool.exchange({ method: 'GET', path: '/' }, options)
  await until(() => servers[2]?.stats.requests === 1, 'all were asked')
  told = 'this'
  expect((await read).body.toString()).toBe('this')
})

test('who is known not to answer is not waited for where all others have no such thing', async () => {
  const none = { handle: () => ({ body: 'none' }) }
  const { pool, servers } = await startTestPool([{ handle: () => ({ body: 'first' }) }, none, none], {
    limits: { hedgeMinMs: 10, breakerFailures: 3, breakerOpenMs: 600_000, headersTimeoutMs: 600_000 },
    spec: (_url, index) => ({ priority: index }),
  })
  servers[0]?.set({ hang: 'headers' })
  const ask = (path: string, judge: (response: { body: Buffer }) => AnswerVerdict = noneIsNoAnswer) =>
    pool.exchange({ method: 'GET', path }, { judge, deadline: Date.now() + 60_000 })
  const before = ask('/before')
  for (let index = 0; index < 3; index += 1) await ask(`/${index}`, () => ({ kind: 'answer' }))
  expect(pool.status()[0]?.breaker).toBe('open')
  for (const answer of [await before, await ask('/after')]) expect(answer.body.toString()).toBe('none')
})

test('nor is one waited for again that this read has already asked in vain', async () => {
  const none = { handle: () => ({ body: 'none' }) }
  const { pool, servers } = await startTestPool([{ faults: { dead: true } }, none, none], {
    limits: { hedgeMinMs: 10, breakerFailures: 1_000, headersTimeoutMs: 600_000 },
    spec: (_url, index) => ({ priority: index }),
  })
  const options = { judge: noneIsNoAnswer, deadline: Date.now() + 60_000 }
  const read = pool.exchange({ method: 'GET', path: '/' }, options)
  await until(() => servers[0]?.stats.requests === 1, 'the first was asked')
  servers[0]?.set({ hang: 'headers' })
  expect((await read).body.toString()).toBe('none')
  expect(servers[0]?.stats.requests).toBeGreaterThan(1)
})

const noneToGet = { handle: ({ method }: IncomingMessage) => (method === 'GET' ? { body: 'none' } : undefined) }

/** Two servers have no such thing, two others hang; the latter are asked last. */
const startHanging = async (avoided: boolean) => {
  const { pool, servers } = await startTestPool([noneToGet, noneToGet, noneToGet, noneToGet], {
    limits: { hedgeMinMs: 10, headersTimeoutMs: 600_000, maxLagBlocks: 3 },
    deps: { headProbe: heightProbe(100) },
  })
  const hanging = servers.slice(2)
  if (!avoided) for (const server of servers.slice(0, 2)) server.height = 1_000n
  const asked = new Set<FaultServer>()
  for (const server of hanging)
    server.set(({ body }) => {
      if (body !== '') return {}
      asked.add(server)
      return { hang: 'headers' }
    })
  const isHanging = (host: string) => hanging.some((server) => server.host === host)
  return { pool, asked, avoid: avoided ? { avoid: isHanging } : {} }
}

test.each([false, true])(
  'those that lag and hang are waited for at once, not in turn (avoided: %s)',
  async (avoided) => {
    const { pool, asked, avoid } = await startHanging(avoided)
    await until(async () => {
      await pool.exchange({ method: 'GET', path: '/' }, avoid)
      return pool.status().every(({ lagBlocks }) => lagBlocks !== undefined)
    }, 'heights are known')
    const options = { judge: noneIsNoAnswer, deadline: Date.now() + 600_000, ...avoid }
    void pool.exchange({ method: 'GET', path: '/' }, options).catch(() => undefined)
    await until(() => asked.size === 2, 'both were asked')
  },
)

test('who lags is not asked beside one that is only slow: its state is older', async () => {
  const { pool, servers } = await startTestPool([noneToGet, noneToGet, noneToGet], {
    limits: { hedgeMinMs: 10, headersTimeoutMs: 600_000, maxLagBlocks: 3 },
    deps: { headProbe: heightProbe(100) },
    spec: (_url, index) => ({ priority: index }),
  })
  const [first, slow, late] = servers
  if (!first || !slow || !late) throw new Error('there are three servers')
  for (const server of [first, slow]) server.height = 1_000n
  await until(async () => {
    await pool.exchange({ method: 'GET', path: '/' })
    return pool.status().every(({ lagBlocks }) => lagBlocks !== undefined)
  }, 'heights are known')
  const gets = { first: 0, late: 0 }
  const count = (name: 'first' | 'late') => (request: { body: string }) => {
    if (request.body === '') gets[name] += 1
    return {}
  }
  first.set(count('first'))
  late.set(count('late'))
  slow.set(({ body }) => (body === '' ? { hang: 'headers' } : {}))
  const options = { judge: noneIsNoAnswer, deadline: Date.now() + 600_000 }
  void pool.exchange({ method: 'GET', path: '/' }, options).catch(() => undefined)
  await until(() => gets.first > 2, 'the first was asked again, twice')
  expect(gets.late).toBe(0)
})

test('nor is one of another network waited for there', async () => {
  const on = (network: string, body: string) => ({
    handle: ({ url }: IncomingMessage) => ({ body: url === '/network' ? network : body }),
  })
  const identity = {
    network: 'ours',
    path: '/network',
    parse: (text: unknown) => String(text),
    matches: (network: string) => network === 'ours',
  }
  const { pool, servers } = await startTestPool([on('ours', 'first'), on('ours', 'none'), on('other', 'none')], {
    limits: { hedgeMinMs: 10, breakerFailures: 3, breakerOpenMs: 600_000, headersTimeoutMs: 600_000 },
    spec: (_url, index) => ({ priority: index }),
    deps: { identity },
  })
  const ask = (path: string, judge: (response: { body: Buffer }) => AnswerVerdict = noneIsNoAnswer) =>
    pool.exchange({ method: 'GET', path }, { judge, deadline: Date.now() + 60_000 })
  expect((await ask('/a')).body.toString()).toBe('first')
  servers[0]?.set({ hang: 'headers' })
  for (let index = 0; index < 3; index += 1) await ask(`/${index}`, () => ({ kind: 'answer' }))
  expect(pool.status()[0]?.breaker).toBe('open')
  expect((await ask('/after')).body.toString()).toBe('none')
})
