import type { Logger } from 'pino'
import { createRateLimitedLog } from '../../../lib/logging/rate-limited-log.ts'
import { failureAnswer } from '../forward/forwarded-answer.ts'
import { scanCall } from '../forward/scan-call.ts'
import { compactJson } from '../json/write.ts'
import type { NodeAnswer } from './answer.ts'
import type { ReadBody } from './body.ts'
import type { Exchange } from './exchange.ts'

/** Sends the answer to a request, or a failure in its dialect. `read` = the request's body, for its id. */
export type Finish = (exchange: Exchange, answer: Promise<NodeAnswer>, read?: Whole) => void

type Whole = Extract<ReadBody, { kind: 'whole' }>

/** The id of a call, if it can be found. */
function idOf(body: Buffer): Buffer | undefined {
  const id = scanCall(body)?.id
  return id && compactJson(body.subarray(id.from, id.to))
}

export function createFinish(logger: Logger): Finish {
  const rateLimited = createRateLimitedLog()
  const failed = (exchange: Exchange, error: unknown, body: Buffer | undefined): void => {
    const { dialect, name } = exchange.endpoint
    const answer = failureAnswer(error, dialect, body && idOf(body))
    if (!answer) {
      exchange.response.destroy()
      return
    }
    // While no node answers, every call fails.
    rateLimited(`${name} ${answer.status}`, (others) =>
      logger.warn({ endpoint: name, status: answer.status, ...others, err: error }, 'node API call failed'),
    )
    exchange.send(answer)
  }
  return (exchange, answer, read) => {
    answer.then(
      (done) => {
        exchange.send(done)
        // Once there is an answer, all attempts have ended, and upstreams that have not read the whole body are cut
        // off. After a failure or a disconnect, an attempt may still be writing: that memory is left to the garbage
        // collector.
        if (read?.release) exchange.response.once('finish', read.release)
      },
      (error: unknown) => failed(exchange, error, read?.body),
    )
  }
}
