import { expect, it } from 'vitest'
import { createPresence } from '../../../src/upstream/health/presence.ts'
import type { AnswerVerdict, IdentityProbe } from '../../../src/upstream/index.ts'
import { heightProbe, startTestPool } from '../../support/upstream/upstream-pool.ts'
import { until } from '../../support/waiting/until.ts'

const MINUTE = 60_000
const headProbe = heightProbe(10)

it('who serves nothing there is asked last for half a minute, or until he does', () => {
  let now = 10 * MINUTE
  let changes = 0
  const presence = createPresence(
    () => {
      changes += 1
    },
    () => now,
  )
  expect([presence.absent(), presence.serves()]).toEqual([false, false])
  presence.sawPlace(false)
  expect([presence.absent(), presence.serves(), changes]).toEqual([true, false, 1])
  now += 29_999
  expect(presence.absent()).toBe(true)
  presence.sawPlace(false)
  now += 30_000
  expect([presence.absent(), changes]).toEqual([false, 1])
  presence.sawPlace(false)
  presence.sawPlace(true)
  expect([presence.absent(), presence.serves(), changes]).toEqual([false, true, 3])
  presence.sawPlace(false)
  // A clock that was set back keeps nobody away for longer.
  now -= MINUTE
  expect([presence.absent(), presence.serves()]).toEqual([false, false])
})

it('who served something there may be starting for ten minutes, until he serves it again', () => {
  let now = 10 * MINUTE
  const presence = createPresence(
    () => undefined,
    () => now,
  )
  presence.sawPlace(false)
  expect(presence.left()).toBe(false)
  presence.sawPlace(true)
  expect(presence.left()).toBe(false)
  now += 5 * MINUTE
  // What it serves without a break counts to the end.
  presence.sawPlace(true)
  now += 10 * MINUTE - 1
  presence.sawPlace(false)
  expect(presence.left()).toBe(true)
  now += 1
  presence.sawPlace(false)
  expect(presence.left()).toBe(false)
})

it.each([
  [true, 'closed'],
  [false, 'open'],
])('one place %s: many probes that find nothing there leave the breaker %s', async (onePlace, breaker) => {
  const { pool, servers } = await startTestPool([{ faults: { status: 404 } }, {}], { deps: { headProbe, onePlace } })
  const asked = () => servers[0]?.stats.requests ?? 0
  await until(() => {
    pool.rpc('', 'm', [asked()], { batch: false }).catch(() => undefined)
    return asked() > 30 || pool.status()[0]?.breaker === 'open'
  }, 'it was asked often')
  expect(pool.status()).toMatchObject([{ breaker, healthy: false }, { healthy: true }])
})

it('who has nothing there is asked first again as soon as he shows that he has', async () => {
  const { pool, servers } = await startTestPool([{ faults: { status: 404 } }, {}], {
    deps: { headProbe, onePlace: true },
  })
  await pool.rpc('', 'm', [0])
  await until(() => pool.status()[0]?.healthy === false, 'it is known to have nothing')
  servers[0]?.set()
  await until(() => {
    pool.rpc('', 'm', [1]).catch(() => undefined)
    return pool.status()[0]?.healthy === true
  }, 'it is known to have it')
})

it('a question that is too large for one says nothing of the place', async () => {
  const { pool } = await startTestPool([{ faults: { status: 413 } }], { deps: { onePlace: true } })
  const judge = () => ({ kind: 'retry', reason: 'status 413', behind: true, unheard: 'place' }) as const
  const { status } = await pool.exchange({ method: 'POST', path: '', body: '{"id":1,"method":"m"}' }, { judge })
  expect([status, pool.status()[0]?.healthy]).toEqual([413, true])
})

it('of many servers the last alone serves the path: it is asked at once', async () => {
  const faults = ({ path }: { path: string }) => (path.includes('/C') ? { status: 404 } : {})
  const { pool, servers } = await startTestPool([...Array.from({ length: 6 }, () => ({ faults })), {}])
  await pool.rpc('/C', 'm', [0], { batch: false })
  expect(servers.map(({ stats }) => stats.requests)).toEqual([1, 1, 1, 1, 1, 1, 1])
  const { pool: together, servers: each } = await startTestPool([...Array.from({ length: 6 }, () => ({ faults })), {}])
  await Promise.all([0, 1, 2].map((index) => together.rpc('/C', 'm', [index])))
  expect(each.map(({ stats }) => stats.requests)).toEqual([1, 1, 1, 1, 1, 1, 1])
  const { pool: nowhere, servers: all } = await startTestPool([{ faults }, { faults }])
  await expect(nowhere.rpc('/C', 'm', [0], { batch: false })).rejects.toThrow('status 404')
  expect(all.map(({ stats }) => stats.requests)).toEqual([1, 1])
})

it('who is of another network has never served it', async () => {
  const identity: IdentityProbe = {
    network: 'the main network',
    path: '',
    rpc: 'whoami',
    parse: String,
    matches: (network) => network === 'main',
  }
  const stranger = { answer: ({ method }: { method: string }) => (method === 'whoami' ? 'test' : 1) }
  const { pool } = await startTestPool([{ faults: { status: 404 } }, stranger], { deps: { identity, onePlace: true } })
  const judge = ({ status }: { status: number }): AnswerVerdict =>
    status === 404 ? { kind: 'retry', reason: 'status 404', behind: true, unheard: 'place' } : { kind: 'answer' }
  const body = '{"jsonrpc":"2.0","id":1,"method":"m"}'
  for (let turn = 0; turn < 2; turn += 1)
    expect((await pool.exchange({ method: 'POST', path: '', body }, { judge })).status).toBe(404)
})
