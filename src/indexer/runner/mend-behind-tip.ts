import type { Logger } from 'pino'
import { pause } from '../../lib/pause.ts'
import type { ChainStream, StreamBlock } from './stream.ts'

/** After a failure that the stream did not see to itself: the database's, mostly. */
const FAILED_MS = 30_000

export interface MendDeps {
  /** Whoever catches up has better things to do. */
  isAtTip(): boolean
  /** Between two looks whether it is there, milliseconds. */
  pollMs: number
  logger: Logger
}

/** Lets a stream work on what it has stored, one piece after the other, until the signal is aborted. Rejects never. */
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
