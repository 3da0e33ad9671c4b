import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { BadAnswerError, UpstreamUnavailableError } from '../../src/errors.ts'
import type { ChainStream, StreamBlock } from '../../src/indexer/runner/stream.ts'
import { StreamBlockedError } from '../../src/indexer/runner/stream-errors.ts'
import { createStreamRunner, type RunnerTimes, type StreamRunner } from '../../src/indexer/runner/stream-runner.ts'
import type { IndexWriter } from '../../src/store/index-writer.ts'
import { eventually } from '../support/waiting/eventually.ts'
import { gate } from '../support/waiting/gate.ts'

const TIMES: RunnerTimes = { pollMs: 10, retryMs: 5, maxRetryMs: 10, maxAwayMs: 10, stalledMs: 200, reportMs: 20 }
const TIP = { height: 7n, blockId: '07', time: 1_700_000_000n }

interface Setup {
  fetch: ChainStream<StreamBlock>['fetch']
  confirmTip?: () => void
  mend?: () => Promise<number>
  times?: Partial<RunnerTimes>
}

const streamOf = ({ fetch, mend }: Pick<Setup, 'fetch' | 'mend'>): ChainStream<StreamBlock> => ({
  definition: { name: 'testnet:P' } as ChainStream<StreamBlock>['definition'],
  firstHeight: 0n,
  fetch,
  ...(mend ? { mend } : {}),
  open: async () => ({ apply: () => ({ rows: {} as never }) }),
})

/** Of a store that keeps nothing and has a tip. */
const emptyWriter = (confirmTip?: () => void): IndexWriter =>
  ({
    register: async () => ({ stream: 'testnet:P', tip: TIP, transactions: 0n, currentAtMs: 0n }),
    confirmTip: async () => confirmTip?.(),
  }) as unknown as IndexWriter

/** A stream with a stored tip, over a store that keeps nothing; it runs until the test ends. */
function run({ confirmTip, times = {}, ...stream }: Setup): StreamRunner {
  const runner = createStreamRunner(streamOf(stream), {
    writer: emptyWriter(confirmTip),
    logger: pino({ level: 'silent' }),
    times: { ...TIMES, ...times },
  })
  const stop = new AbortController()
  const running = runner.run(stop.signal)
  onTestFinished(async () => {
    stop.abort()
    await running
  })
  return runner
}

const never = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))

const block = (height: bigint, parentId = `0${height - 1n}`): StreamBlock => ({
  height,
  id: `0${height}`,
  parentId,
  time: 0n,
})

/** Follows a chain of these two blocks above the stored tip, one by one, until both are written. */
async function followTwo(
  blocks: readonly [StreamBlock, StreamBlock],
  writer: { commitRange: (range: StreamBlock) => Promise<void> } & Partial<Pick<IndexWriter, 'prepareRange'>>,
  onNewest: (stream: string, height: bigint) => void = () => undefined,
): Promise<void> {
  const pages = blocks.map((one) => ({ blocks: [one], tip: 9n }))
  const runner = createStreamRunner(streamOf({ fetch: async () => pages.shift() ?? { blocks: [], tip: 9n } }), {
    writer: {
      ...emptyWriter(),
      prepareRange: () => undefined,
      ...writer,
      commitRange: (_: string, __: unknown, range: StreamBlock) => writer.commitRange(range),
    } as unknown as IndexWriter,
    logger: pino({ level: 'silent' }),
    times: TIMES,
    onNewest,
  })
  const stop = new AbortController()
  const running = runner.run(stop.signal)
  await eventually(() => expect(runner.status().phase).toBe('following')).finally(() => stop.abort())
  await running
}

it('the newest block is announced before it can be read, and no block of the way there', async () => {
  const events: string[] = []
  const commitRange = async ({ height }: StreamBlock) => void events.push(`wrote ${height}`)
  await followTwo([block(8n), block(9n)], { commitRange }, (stream, height) => void events.push(`${stream} ${height}`))
  expect(events).toEqual(['wrote 8', 'testnet:P 9', 'wrote 9'])
})

it('the database is told which parent a block names, also where that is not the stored tip', async () => {
  const parents: string[] = []
  await followTwo([block(8n), block(9n, '77')], { commitRange: async ({ parentId }) => void parents.push(parentId) })
  expect(parents).toEqual(['07', '77'])
})

it('a range is written when the one before it is, and prepared before that', async () => {
  const events: string[] = []
  const { opened, open } = gate()
  const commitRange = async ({ height }: StreamBlock) => {
    events.push(`begins ${height}`)
    if (height === 8n) await opened
    events.push(`has ${height}`)
  }
  const following = followTwo([block(8n), block(9n)], { commitRange, prepareRange: () => void events.push('prepared') })
  await eventually(() => expect(events).toHaveLength(3)).finally(open)
  await following
  expect(events).toEqual(['prepared', 'begins 8', 'prepared', 'has 8', 'begins 9', 'has 9'])
})

it('a tip that the chain of the nodes has not is of another chain: nothing is read until it has it, and readers are told', async () => {
  let [disowned, fetched, isThere] = [0, 0, false]
  const fetch = async () => {
    fetched += 1
    return { blocks: [], tip: 7n }
  }
  const runner = createStreamRunner(
    // No fork: nothing is taken back.
    { ...streamOf({ fetch }), has: async ({ id }) => isThere && id === '07', fork: async ({ height }) => height },
    {
      writer: { ...emptyWriter(), disownTip: async () => void disowned++ } as unknown as IndexWriter,
      logger: pino({ level: 'silent' }),
      times: TIMES,
    },
  )
  const stop = new AbortController()
  const running = runner.run(stop.signal)
  onTestFinished(async () => {
    stop.abort()
    await running
  })
  await eventually(() => expect(disowned).toBeGreaterThan(1))
  expect(fetched).toBe(0)
  isThere = true
  await eventually(() => expect(runner.status().phase).toBe('following'))
})

describe('a stream with a stored tip', () => {
  it('is stalled while no node answers, however often it begins anew, and is not called fresh', async () => {
    const runner = run({ fetch: () => Promise.reject(new UpstreamUnavailableError('no node answered')) })
    await eventually(() => expect(runner.status().failures).toBeGreaterThan(3))
    expect(runner.status()).toMatchObject({ height: 7n, freshAtMs: undefined })
    await eventually(() => expect(runner.status().stalled).toBe(true))
  })

  it('works on what it has stored while it stands at the tip, and not before or in trouble', async () => {
    let isAtTip = false
    let pieces = 0
    const runner = run({
      fetch: async () => {
        if (!isAtTip) throw new BadAnswerError('not this')
        return { blocks: [], tip: 7n }
      },
      mend: async () => ++pieces && 1,
    })
    await eventually(() => expect(runner.status().failures).toBeGreaterThan(5))
    expect(pieces).toBe(0)
    isAtTip = true
    await eventually(() => expect(pieces).toBeGreaterThan(3))
    expect(runner.status().phase).toBe('following')
    isAtTip = false
    await eventually(() => expect(runner.status().phase).toBe('failing'))
    const before = pieces
    await sleep(100)
    expect(pieces).toBeLessThanOrEqual(before + 1)
  })

  it('asks often while no node answers, and seldom what cannot be read', async () => {
    const times = { retryMs: 1, maxRetryMs: 60_000, maxAwayMs: 2 }
    const fails = (error: Error) => run({ fetch: () => Promise.reject(error), times })
    const [away, bad] = [fails(new UpstreamUnavailableError('no node answered')), fails(new BadAnswerError('not this'))]
    await eventually(() => expect(away.status().failures).toBeGreaterThan(40))
    expect(bad.status().failures).toBeLessThan(20)
  })

  it('begins anew each time that nothing comes for so long', async () => {
    let attempts = 0
    const runner = run({
      fetch: (_from, _after, signal) => {
        attempts += 1
        return never(signal)
      },
    })
    await eventually(() => expect(attempts).toBeGreaterThan(2))
    expect(runner.status().stalled).toBe(true)
  })

  it('says each time that it leads that it is stalled', async () => {
    const said: string[] = []
    const logger = pino({ level: 'error' }, { write: (line: string) => void said.push(JSON.parse(line).msg) })
    const runner = createStreamRunner(streamOf({ fetch: (_from, _after, signal) => never(signal) }), {
      writer: emptyWriter(),
      logger,
      times: TIMES,
    })
    const leadUntil = async (lines: number): Promise<void> => {
      const stop = new AbortController()
      const running = runner.run(stop.signal)
      await eventually(() => expect(said).toHaveLength(lines)).finally(() => stop.abort())
      await running
    }
    await leadUntil(1)
    await leadUntil(2)
    expect(runner.status()).toMatchObject({ phase: 'standby', height: undefined, tip: undefined })
    expect(said).toEqual(['stream stalled', 'stream stalled'])
  })

  it.each([
    ['failing', new BadAnswerError('not this')],
    ['blocked', new StreamBlockedError('not this')],
  ])('is %s for as long as attempts fail, while the next one is under way, too', async (phase, error) => {
    let attempts = 0
    const { opened, open } = gate()
    const runner = run({
      fetch: async () => {
        attempts += 1
        if (attempts < 3) throw error
        await opened
        return { blocks: [], tip: 7n }
      },
      times: { stalledMs: 60_000 },
    })
    // A failure must not leave the runner waiting.
    onTestFinished(open)
    await expect.poll(() => attempts).toBe(3)
    expect(runner.status()).toMatchObject({ phase, failures: 2, error: 'not this' })
    open()
    await expect.poll(() => runner.status()).toMatchObject({ phase: 'following', failures: 0 })
  })

  it('gets more time at each beginning: what is slow comes to its end', async () => {
    let confirmed = 0
    const runner = run({
      fetch: async (_from, _after, signal) => {
        await sleep(500, undefined, { signal })
        return { blocks: [], tip: 7n }
      },
      confirmTip: () => {
        confirmed += 1
      },
    })
    await eventually(() => expect(confirmed).toBeGreaterThan(0))
    expect(runner.status().stalled).toBe(false)
  })

  it('is not confirmed while the nodes have later blocks, though none comes: what is old would be told as new', async () => {
    let confirmed = 0
    let fetched = 0
    let tip = 8n
    const runner = run({
      fetch: async () => {
        fetched += 1
        return { blocks: [], tip }
      },
      confirmTip: () => {
        confirmed += 1
      },
    })
    await eventually(() => expect(fetched).toBeGreaterThan(5))
    expect(runner.status()).toMatchObject({ phase: 'catching-up', height: 7n, tip: 8n, freshAtMs: undefined })
    await eventually(() => expect(runner.status().stalled).toBe(true))
    expect(confirmed).toBe(0)
    tip = 7n
    await eventually(() => expect(confirmed).toBeGreaterThan(0))
    expect(runner.status()).toMatchObject({ phase: 'following', stalled: false })
  })

  it('is confirmed and watched behind a clock that is set back', async () => {
    let confirmed = 0
    let answers = true
    const runner = run({
      fetch: async (_from, _after, signal) => (answers ? { blocks: [], tip: 7n } : never(signal)),
      confirmTip: () => {
        confirmed += 1
      },
    })
    await eventually(() => expect(confirmed).toBeGreaterThan(1))
    const before = Date.now()
    const wall = vi.spyOn(Date, 'now').mockImplementation(() => before - 3_600_000)
    onTestFinished(() => void wall.mockRestore())
    await sleep(20)
    const then = confirmed
    await eventually(() => expect(confirmed).toBeGreaterThan(then + 1))
    expect(runner.status()).toMatchObject({ freshAtMs: before - 3_600_000, stalled: false })
    answers = false
    await eventually(() => expect(runner.status().stalled).toBe(true))
  })
})
