import type { Logger } from 'pino'
import { pause } from '../../lib/waiting/pause.ts'
import type { ChainStream, StreamBlock } from './stream.ts'

/** Pause after a failure that the stream did not handle itself, mostly of the database. Milliseconds. */
const FAILED_MS = 30_000

export interface MendDeps {
  /** While the stream catches up, nothing is mended. */
  isAtTip(): boolean
  /** Interval between checks for the tip, milliseconds. */
  pollMs: number
  logger: Logger
}

/** Lets a stream mend its stored data, one piece after the other, until the signal is aborted. Never rejects. */
export async function mendBehindTip(
  stream: Pick<ChainStream<StreamBlock>, 'mend'>,
  { isAtTip, pollMs, logger }: MendDeps,
  signal: AbortSignal,
): Promise<void> {
  while (stream.mend && !signal.aborted) {
    let waitMs = pollMs
    if (isAtTip()) {
      try {
        waitMs = await stream.mend(signal)
      } catch (error) {
        if (!signal.aborted) logger.warn({ err: error }, 'what is stored could not be completed, trying again')
        waitMs = FAILED_MS
      }
    }
    await pause(waitMs, signal)
  }
}
