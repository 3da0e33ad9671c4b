import { request } from 'node:http'
import type { Manner } from '../soak/client.ts'
import type { Visit } from './tally.ts'
import { type KnownStream, mistakeIn } from './truth.ts'

/** Milliseconds after which those leave who leave before anything came; how long slow readers read nothing. */
const IMPATIENCE_MS = 15
const SLOW_MS = 2_500
const PATIENCE_MS = 60_000

/** One balance stream on a connection of its own, every item that is read compared with what is true. */
export function visitStream(base: string, known: KnownStream, manner: Manner): Promise<Visit> {
  return new Promise((resolve) => {
    const start = performance.now()
    const { hostname, port } = new URL(base)
    let text = ''
    let left = false
    const finish = (visit: Omit<Visit, 'ms'>): void => {
      clearTimeout(timer)
      resolve({ ...visit, ms: performance.now() - start })
    }
    const done = (whole: boolean): void => {
      const mistake = mistakeIn(known, text, whole)
      finish(
        mistake ?? (whole ? { outcome: 'right' } : left ? { outcome: 'left' } : { outcome: 'broken', found: text }),
      )
    }
    const leave = (): void => {
      left = true
      asked.destroy()
    }
    const asked = request(
      {
        host: hostname,
        port,
        path: '/v1/balance/get-balances',
        method: 'POST',
        agent: false,
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(known.body.text) },
      },
      (answer) => {
        answer.setEncoding('utf8')
        answer.on('error', () => undefined)
        answer.on('close', () => {
          const status = answer.statusCode ?? 0
          // The end may have come with what a client that leaves still took.
          if (status === 200) return done(answer.complete && !left)
          const refused = status === 429 || status === 503
          finish({
            // A server that stood still for long takes requests that wait for ones that never came.
            outcome: refused ? 'refused' : status === 408 ? 'broken' : 'wrong',
            retryAfter: answer.headers['retry-after'] !== undefined,
            ...(refused ? {} : { found: `${status} ${text}` }),
          })
        })
        answer.on('data', (part: string) => {
          text += part
          if (manner === 'leaves after the first item' && text.includes('\n\n')) leave()
        })
        if (manner === 'stalls') {
          answer.pause()
          setTimeout(() => answer.resume(), SLOW_MS)
        }
      },
    )
    asked.on('error', (error) => finish(left ? { outcome: 'left' } : { outcome: 'broken', found: String(error) }))
    const timer = setTimeout(
      () => (manner === 'leaves at once' ? leave() : asked.destroy(new Error('no end came'))),
      manner === 'leaves at once' ? IMPATIENCE_MS : PATIENCE_MS,
    )
    asked.end(known.body.text)
  })
}
