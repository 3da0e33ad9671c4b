import type { Logger } from 'pino'
import { CancelledError, FirnError, messageOf, UpstreamUnavailableError } from '../../errors.ts'
import { steadyNow } from '../../lib/steady-clock.ts'
import { pause } from '../../lib/waiting/pause.ts'
import type { IndexWriter } from '../../store/index-writer.ts'
import type { StreamProgress } from '../../store/rows/index.ts'
import { mendBehindTip } from './mend-behind-tip.ts'
import type { BlockApplier, ChainStream, Page, RangeContent, StreamBlock, StreamTip } from './stream.ts'
import { OtherChainError, StreamBlockedError } from './stream-errors.ts'
import { createProgressMeter, type StreamPhase, type StreamStatus } from './stream-status.ts'

export interface RunnerTimes {
  /** Interval between requests for new blocks at the tip. */
  pollMs: number
  /** First and longest wait after a failure; it doubles in between. */
  retryMs: number
  maxRetryMs: number
  /** Longest wait while no node answers: the index should reach the tip soon after one does again. */
  maxAwayMs: number
  /** After this long without a block or confirmed tip the attempt is restarted, and status says so. */
  stalledMs: number
  /** Interval between progress lines in the log. */
  reportMs: number
}

const RUNNER_TIMES: RunnerTimes = {
  pollMs: 1_000,
  retryMs: 500,
  maxRetryMs: 30_000,
  maxAwayMs: 5_000,
  stalledMs: 120_000,
  reportMs: 15_000,
}

/** An attempt is restarted after at most 32 times `stalledMs`. */
const MOST_DOUBLINGS = 5

export interface RunnerDeps {
  writer: IndexWriter
  logger: Logger
  times?: Partial<RunnerTimes>
  /** Called before the newest block of a chain can be read from the store; again if the write failed. */
  onNewest?: ((stream: string, height: bigint) => void) | undefined
}

export interface StreamRunner {
  readonly name: string
  /** Follows the chain until the signal is aborted; failures are retried. Never rejects. */
  run(signal: AbortSignal): Promise<void>
  status(): StreamStatus
}

/** Drives one chain: fetch a page ahead, apply, commit rows and progress together, wait at the tip. */
export function createStreamRunner<B extends StreamBlock>(stream: ChainStream<B>, deps: RunnerDeps): StreamRunner {
  const { name } = stream.definition
  const { writer } = deps
  const times = { ...RUNNER_TIMES, ...deps.times }
  const logger = deps.logger.child({ stream: name })
  let meter = createProgressMeter()
  let phase: StreamPhase = 'standby'
  let failures = 0
  /** The phase after the last failure, until something succeeds: the next attempt may take long, and fail, too. */
  let trouble: 'failing' | 'blocked' | undefined
  /** The last failure was that no node answered. */
  let isAway = false
  let lastError: string | undefined
  /** On the steady clock: when the stream started, last moved or was found at the tip. */
  let aliveAt = steadyNow()
  let saidStalled = false
  /** Attempts given up since then: each gets twice the time, since a slow attempt is not stuck. */
  let givenUp = 0

  const isStalled = (): boolean => steadyNow() - aliveAt >= times.stalledMs

  const session = async (signal: AbortSignal): Promise<void> => {
    phase = 'starting'
    const definition = (await stream.define?.(signal)) ?? stream.definition
    let progress = await writer.register(definition)
    await expectOwnChain(tipOf(progress), signal)
    progress = await leaveFork(progress, signal)
    progress = await rewriteUnsettled(progress, signal)
    if (progress.tip) meter.stands(progress.tip.height)
    const applier = await stream.open(progress, signal)
    await follow(applier, tipOf(progress), signal)
  }

  const expectOwnChain = async (tip: StreamTip | undefined, signal: AbortSignal): Promise<void> => {
    if (!tip || !stream.has || (await stream.has(tip, signal))) return
    throw new OtherChainError(
      `${name} holds block ${tip.id} at ${tip.height}, where the chain of the nodes has another`,
    )
  }

  const leaveFork = async (progress: StreamProgress, signal: AbortSignal): Promise<StreamProgress> => {
    const tip = tipOf(progress)
    if (!stream.fork || !tip) return progress
    const height = await stream.fork(tip, signal)
    if (height >= tip.height) return progress
    logger.warn({ from: String(tip.height), to: String(height) }, 'the chain left the stored branch: going back')
    await writer.rewind(name, height, await stream.rewound?.(height, progress.state))
    return writer.register(stream.definition)
  }

  const rewriteUnsettled = async (progress: StreamProgress, signal: AbortSignal): Promise<StreamProgress> => {
    const { tip } = progress
    const rewrite = tip && (await stream.unsettled?.(progress, signal))
    if (!tip || !rewrite) return progress
    logger.warn({ above: String(rewrite.above), to: String(tip.height) }, 'writing what is not settled anew')
    await writer.rewriteTip(name, tip, rewrite)
    return writer.register(stream.definition)
  }

  const follow = async (applier: BlockApplier<B>, from: StreamTip | undefined, signal: AbortSignal): Promise<void> => {
    let tip = from
    let next = ahead(fetchAfter(tip, signal))
    let written = ahead(Promise.resolve())
    try {
      while (!signal.aborted) {
        const page = await next()
        meter.heard(page.tip)
        const last = page.blocks.at(-1)
        if (last === undefined) {
          await written()
          if (tip !== undefined && page.tip > tip.height) await waitBehindTip(signal)
          else await standAtTip(tip, signal)
          next = ahead(fetchAfter(tip, signal))
          continue
        }
        if (page.tip > last.height) phase = 'catching-up'
        const after: StreamTip = { height: last.height, id: last.id }
        next = ahead(fetchAfter(after, signal))
        const content = await applier.apply(page.blocks)
        writer.prepareRange(name, content.rows)
        // The previous page is written while this one is computed, and only one at a time.
        await written()
        if (signal.aborted) return
        written = ahead(commit(content, page))
        tip = after
      }
      await written()
    } finally {
      // The next attempt, or the next leader, has to find the last write of this attempt.
      await written().catch(() => undefined)
    }
  }

  let confirmedAt = Number.NEGATIVE_INFINITY
  const standAtTip = async (tip: StreamTip | undefined, signal: AbortSignal): Promise<void> => {
    phase = 'following'
    if (steadyNow() - confirmedAt >= times.pollMs) {
      await writer.confirmTip(name, tip && { height: tip.height, blockId: tip.id })
      confirmedAt = steadyNow()
    }
    succeeded()
    meter.confirmed()
    await pause(times.pollMs, signal)
  }

  /** The nodes have later blocks that none gives away: what is stored grows old. */
  const waitBehindTip = async (signal: AbortSignal): Promise<void> => {
    phase = 'catching-up'
    await pause(times.pollMs, signal)
  }

  const fetchAfter = (tip: StreamTip | undefined, signal: AbortSignal): Promise<Page<B>> =>
    stream.fetch(tip === undefined ? stream.firstHeight : tip.height + 1n, tip, signal)

  const commit = async (content: RangeContent, page: Page<B>): Promise<void> => {
    const { rows, state } = content
    const [first] = page.blocks
    const last = page.blocks.at(-1)
    if (first === undefined || last === undefined) return
    if (page.tip <= last.height) deps.onNewest?.(name, last.height)
    const time = content.time ?? last.time
    await writer.commitRange(name, rows, {
      from: first.height,
      // Named by the block itself: the database compares it with the stored tip, whatever was fetched.
      parentId: first.parentId,
      height: last.height,
      blockId: last.id,
      time,
      ...(state === undefined ? {} : { state }),
    })
    succeeded()
    meter.moved(last.height, Number(time) * 1_000)
  }

  const well = (): void => {
    failures = 0
    trouble = undefined
    lastError = undefined
  }
  const alive = (): void => {
    aliveAt = steadyNow()
    givenUp = 0
    saidStalled = false
  }
  const succeeded = (): void => {
    well()
    if (saidStalled) logger.info('moving again')
    alive()
  }

  const failed = async (error: unknown): Promise<void> => {
    // Its age alone would still allow serving it for a while.
    if (error instanceof OtherChainError) await writer.disownTip(name).catch(() => undefined)
    failures += 1
    isAway = error instanceof UpstreamUnavailableError
    lastError = messageOf(error)
    trouble = error instanceof StreamBlockedError ? 'blocked' : 'failing'
    const level = trouble === 'blocked' || !(error instanceof FirnError) ? 'error' : 'warn'
    logger[level]({ err: error, failures }, trouble === 'blocked' ? 'stream stands' : 'stream failed, trying again')
  }

  const waitMs = (): number => {
    const longest = isAway ? Math.min(times.maxAwayMs, times.maxRetryMs) : times.maxRetryMs
    return Math.min(times.retryMs * 2 ** (failures - 1), longest)
  }

  const report = (attempt: AbortController, begunAt: number): void => {
    const { height, tip, blocksPerSecond, etaSeconds } = meter.status()
    if (phase === 'catching-up') {
      const rate = Math.round(blocksPerSecond * 10) / 10
      logger.info({ height: String(height), tip: String(tip), blocksPerSecond: rate, etaSeconds }, 'indexing')
    }
    if (!isStalled()) return
    if (!saidStalled)
      logger.error({ height: String(height), tip: String(tip), phase: trouble ?? phase }, 'stream stalled')
    saidStalled = true
    if (attempt.signal.aborted || steadyNow() - begunAt < times.stalledMs * 2 ** Math.min(givenUp, MOST_DOUBLINGS))
      return
    givenUp += 1
    attempt.abort(new CancelledError('stalled'))
  }

  return {
    name,
    async run(signal) {
      // Another process may have led in between.
      alive()
      const isAtTip = () => phase === 'following' && trouble === undefined
      const mended = mendBehindTip(stream, { isAtTip, pollMs: times.pollMs, logger }, signal)
      while (!signal.aborted) {
        const attempt = new AbortController()
        const leave = () => attempt.abort(new CancelledError())
        signal.addEventListener('abort', leave, { once: true })
        const watch = setInterval(report, Math.min(times.reportMs, times.stalledMs), attempt, steadyNow())
        try {
          await session(attempt.signal)
        } catch (error) {
          if (!signal.aborted) await failed(error)
        } finally {
          clearInterval(watch)
          signal.removeEventListener('abort', leave)
          // Pages fetched ahead are useless now.
          leave()
        }
        if (failures > 0) await pause(waitMs(), signal)
      }
      await mended
      phase = 'standby'
      // From now on another process indexes: this process's knowledge becomes outdated.
      well()
      meter = createProgressMeter()
    },
    status() {
      const stalled = phase !== 'standby' && isStalled()
      return {
        name,
        phase: trouble ?? phase,
        ...meter.status(),
        stalled,
        failures,
        error: lastError,
        notes: stream.notes?.() ?? [],
      }
    },
  }
}

const tipOf = ({ tip }: StreamProgress): StreamTip | undefined => tip && { height: tip.height, id: tip.blockId }

/** Takes a promise that is awaited later, so that an earlier failure is not an unhandled rejection. */
function ahead<T>(promise: Promise<T>): () => Promise<T> {
  promise.catch(() => undefined)
  return () => promise
}
