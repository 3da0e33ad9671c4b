import { expect, test } from 'vitest'
import { heightProbe, startTestPool } from '../../support/upstream/upstream-pool.ts'
import { until } from '../../support/waiting/until.ts'

const named = (name: string) => ({
  answer: ({ method }: { method: string }) => (method === 'eth_blockNumber' ? undefined : name),
})
/** Long enough that a block of a moment ago is none that a server should have had for long. */
const INTERVAL_MS = 250

const startPair = async ({ breakerFailures = 5, onePlace = false } = {}) => {
  const { pool, servers } = await startTestPool([named('restarted'), named('other')], {
    deps: { headProbe: heightProbe(INTERVAL_MS), onePlace },
    limits: { breakerFailures, breakerOpenMs: 20 },
    // The first is preferred however fast the other is.
    spec: (_url, index) => ({ priority: index }),
  })
  const [restarted, other] = servers
  if (!restarted || !other) throw new Error('there are two servers')
  let count = 0
  const read = () => pool.rpc('', 'm', [count++])
  const readUntil = (condition: () => boolean, what: string) =>
    until(async () => {
      await read()
      return condition()
    }, what)
  return { pool, restarted, other, read, readUntil }
}

test('who was away lags by the first block that it lacks, until it has what others had when it was asked', async () => {
  const { pool, restarted, other, read, readUntil } = await startPair()
  expect(await read()).toBe('restarted')
  await readUntil(() => pool.status()[0]?.lagBlocks === 0, 'heights are known')
  await restarted.down()
  await readUntil(() => pool.status()[0]?.healthy === false, 'it is away')
  other.height = 101n
  await readUntil(() => pool.head() === 101n, 'the block that it does not see')
  await restarted.up()
  const answers: unknown[] = []
  const isCloseBehind = (): boolean => pool.status()[0]?.breaker === 'closed' && restarted.stats.calls > 1
  await until(async () => {
    answers.push(await read())
    return isCloseBehind()
  }, 'it answers again')
  for (let index = 0; index < 20; index += 1) answers.push(await read())
  expect(new Set(answers)).toEqual(new Set(['other']))
  expect(pool.status()[0]).toMatchObject({ breaker: 'closed', lagBlocks: 1, healthy: false })
  restarted.height = 101n
  await readUntil(() => pool.status()[0]?.healthy === true, 'it has caught up')
  expect(await read()).toBe('restarted')
})

test.each([
  { status: 503, onePlace: false },
  { status: 404, onePlace: false },
  { status: 404, onePlace: true },
])('a node that starts answers $status until its chain is there, and lags as well ($onePlace)', async (one) => {
  const { status, onePlace } = one
  const limits = { breakerFailures: Number.MAX_SAFE_INTEGER, onePlace }
  const { pool, restarted, other, read, readUntil } = await startPair(limits)
  await readUntil(() => pool.status().every(({ lagBlocks }) => lagBlocks === 0), 'heights are known')
  let probes = 0
  restarted.set(({ body }) => {
    if (body.includes('eth_blockNumber')) probes += 1
    return { status }
  })
  await readUntil(() => probes > 1, 'it was asked for its height')
  other.height = 101n
  await readUntil(() => pool.head() === 101n, 'the block that it does not see')
  restarted.set()
  const answers: unknown[] = []
  for (let index = 0; index < 20; index += 1) answers.push(await read())
  expect(new Set(answers)).toEqual(new Set(['other']))
  restarted.height = 101n
  await readUntil(() => pool.status()[0]?.healthy === true, 'it has caught up')
  expect(await read()).toBe('restarted')
})

test('who was away is asked at once where nobody else was there meanwhile', async () => {
  const { pool, restarted, other, read, readUntil } = await startPair()
  await readUntil(() => pool.status()[0]?.lagBlocks === 0 && pool.status()[1]?.lagBlocks === 0, 'heights are known')
  await Promise.all([restarted.down(), other.down()])
  await expect(read()).rejects.toThrow()
  await restarted.up()
  expect(await read()).toBe('restarted')
})

test('who is alone lags behind nobody, even if it did not tell its height', async () => {
  const { pool, servers } = await startTestPool([named('only')], {
    deps: { headProbe: heightProbe(25) },
    limits: { breakerFailures: Number.MAX_SAFE_INTEGER },
  })
  await until(async () => {
    await pool.rpc('', 'm', [Math.random()])
    return pool.status()[0]?.lagBlocks === 0
  }, 'its height is known')
  let probes = 0
  servers[0]?.set(({ body }) => {
    if (!body.includes('eth_blockNumber')) return {}
    probes += 1
    return { status: 503 }
  })
  await until(async () => {
    expect(await pool.rpc('', 'm', [Math.random()])).toBe('only')
    return probes > 2
  }, 'it was asked for its height')
  expect(pool.status()[0]?.healthy).toBe(true)
})
