import { setMaxListeners } from 'node:events'
import { CancelledError, messageOf } from '../errors.ts'
import { createRateLimitedLog } from '../lib/logging/rate-limited-log.ts'
import { steadyNow } from '../lib/steady-clock.ts'
import { pause } from '../lib/waiting/pause.ts'
import { NewerSchemaError } from '../store/index.ts'
import type { AnyStream, ChainStream, StreamBlock } from './runner/stream.ts'
import { createStreamRunner, type RunnerDeps, type StreamRunner } from './runner/stream-runner.ts'
import type { StreamStatus } from './runner/stream-status.ts'

export interface IndexerDeps extends RunnerDeps {
  streams: readonly AnyStream[]
}

export interface IndexerStatus {
  /**
   * `starting`: the database is being opened, or cannot be reached; `leading`: this process writes; `standby`: another
   * process writes, and this one takes over when it ends.
   */
  role: 'stopped' | 'starting' | 'standby' | 'leading'
  streams: StreamStatus[]
}

export interface Indexer {
  /** Starts in the background; failures show in `status` and the log. */
  start(): void
  /** Resolves when nothing is written any more. */
  stop(): Promise<void>
  status(): IndexerStatus
}

const LEAD_RETRY_MS = 2_000
/** A database may be away for hours, and one with a newer schema stays so: one line of the same trouble in this time. */
const SAME_TROUBLE_MS = 60_000

/** Runs all streams in this process as soon as it holds the lead. */
export function createIndexer({ streams, ...deps }: IndexerDeps): Indexer {
  const { writer, logger } = deps
  const runners = streams.map((stream: ChainStream<StreamBlock>) => createStreamRunner(stream, deps))
  let role: IndexerStatus['role'] = 'stopped'
  let stopping: AbortController | undefined
  let running: Promise<void> | undefined

  const loop = async (signal: AbortSignal): Promise<void> => {
    let rateLimited = createRateLimitedLog(steadyNow, SAME_TROUBLE_MS)
    role = 'starting'
    while (!signal.aborted) {
      try {
        const leadership = await writer.lead(signal, () => {
          role = 'standby'
        })
        role = 'leading'
        rateLimited = createRateLimitedLog(steadyNow, SAME_TROUBLE_MS)
        logger.info({ streams: runners.map(({ name }) => name) }, 'indexing in this process')
        await runAll(runners, AbortSignal.any([signal, leadership.lost])).finally(() => {
          role = 'starting'
          return leadership.release()
        })
      } catch (error) {
        if (signal.aborted) break
        // A process of that version writes, or is about to.
        role = error instanceof NewerSchemaError ? 'standby' : 'starting'
        if (!(error instanceof CancelledError))
          rateLimited(messageOf(error), (others) =>
            logger.error({ err: error, ...others }, 'indexer cannot lead, trying again'),
          )
        await pause(LEAD_RETRY_MS, signal)
      }
    }
    role = 'stopped'
  }

  return {
    start() {
      // Nothing to follow: the lead would be taken and given up in an endless loop.
      if (stopping || runners.length === 0) return
      stopping = new AbortController()
      running = loop(stopping.signal)
    },
    async stop() {
      stopping?.abort(new CancelledError())
      await running
      stopping = undefined
    },
    status: () => ({ role, streams: runners.map((runner) => runner.status()) }),
  }
}

async function runAll(runners: readonly StreamRunner[], signal: AbortSignal): Promise<void> {
  // Every stream listens, with its attempt and its waits.
  setMaxListeners(0, signal)
  await Promise.all(runners.map((runner) => runner.run(signal)))
}
