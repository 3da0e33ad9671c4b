import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { steadyNow } from '../../../src/lib/steady-clock.ts'
import { silentLog } from '../../../src/market/market-log.ts'
import { createListCache } from '../../../src/market/tokens/list-cache.ts'
import type { ListResponse } from '../../../src/market/tokens/list-fetch.ts'
import { createRemoteList } from '../../../src/market/tokens/remote-list.ts'
import { entry } from '../token-list-stage.ts'

const URL_OF_LIST = 'https://lists.example/a.json'
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DATE = 'Mon, 16 Nov 2026 08:00:00 GMT'

/** A list whose server gives these answers, one after the other; none is one that fails. */
async function listOf(...answers: (Partial<ListResponse> | undefined)[]) {
  const folder = await mkdtemp(join(tmpdir(), 'firn-list-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const asked: Record<string, string>[] = []
  const list = createRemoteList(URL_OF_LIST, {
    cache: createListCache(folder),
    log: silentLog,
    maxBytes: 1_000_000,
    maxTokens: 100,
    refreshMs: HOUR,
    fetch: async (_, { headers }) => {
      asked.push(headers)
      const answer = answers.shift()
      if (answer === undefined) throw new Error('away')
      return { status: 200, etag: undefined, lastModified: undefined, body: JSON.stringify([entry(1)]), ...answer }
    },
  })
  const look = async (): Promise<Wait> => {
    const before = steadyNow()
    await list.refresh(new AbortController().signal)
    return { most: list.dueAt() - before, least: list.dueAt() - steadyNow() }
  }
  /** As after a restart, with a list that was kept so long ago. */
  const restore = async (age: number): Promise<void> => {
    await createListCache(folder).write(URL_OF_LIST, { body: JSON.stringify([entry(1)]), etag: '"a"' })
    const then = (Date.now() - age) / 1_000
    for (const name of await readdir(folder)) await utimes(join(folder, name), then, then)
    await list.restore()
  }
  return { list, look, asked, restore }
}

/** How long until a list is due again, milliseconds, counted from before and from after a look at it. */
interface Wait {
  most: number
  least: number
}

/** A tenth more or less; two clocks of whole milliseconds are read. */
const expectAbout = ({ most, least }: Wait, wanted: number): void => {
  expect(most).toBeGreaterThan(wanted * 0.9 - 5)
  expect(least).toBeLessThan(wanted * 1.1 + 5)
}

it('is due again after the interval, also where it has not changed', async () => {
  const { look } = await listOf({}, { status: 304 }, { status: 304 })
  for (let count = 0; count < 3; count += 1) expectAbout(await look(), HOUR)
})

it('is due again after the interval where an old one of before a restart has not changed', async () => {
  const { list, look, asked, restore } = await listOf({ status: 304 })
  await restore(3 * HOUR)
  expect(list.dueAt()).toBeLessThan(steadyNow())
  expectAbout(await look(), HOUR)
  expect(asked).toEqual([{ 'if-none-match': '"a"' }])
})

it('is due a minute after a failure, twice as late after each further one, and never later than usual', async () => {
  const { look } = await listOf(undefined, undefined, undefined, { status: 500 }, undefined, undefined, undefined, {})
  const waits: Wait[] = []
  for (let count = 0; count < 9; count += 1) waits.push(await look())
  const minutes = [1, 2, 4, 8, 16, 32, 60, 60, 1]
  for (const [at, wait] of waits.entries()) expectAbout(wait, (minutes[at] ?? 0) * MINUTE)
})

it('is asked for with what its server said of its version, whichever of the two that was', async () => {
  const { look, asked } = await listOf({ lastModified: DATE }, { etag: '"a"' }, {}, {})
  for (let count = 0; count < 4; count += 1) await look()
  expect(asked).toEqual([{}, { 'if-modified-since': DATE }, { 'if-none-match': '"a"' }, {}])
})

it('is not current because a server that was asked for no version says so', async () => {
  const { look, asked } = await listOf({ status: 304 }, {})
  expectAbout(await look(), MINUTE)
  expectAbout(await look(), HOUR)
  expect(asked).toEqual([{}, {}])
})

it('has not failed where its reader has stopped', async () => {
  const { list } = await listOf(undefined)
  await list.refresh(AbortSignal.abort())
  expect(list.status()).toEqual([{ source: 'lists.example', tokens: 0, skipped: 0 }])
})

it('is due again after the interval where the one of before a restart is of a time to come', async () => {
  const { list, restore } = await listOf()
  const before = steadyNow()
  await restore(-3 * HOUR)
  expectAbout({ most: list.dueAt() - before, least: list.dueAt() - steadyNow() }, HOUR)
  expect(list.status()[0]?.updatedAt).toBeLessThanOrEqual(Date.now())
})
