import type { IncomingMessage } from 'node:http'
import { httpError, type NodeAnswer } from './answer.ts'

export type ReadBody =
  | { kind: 'whole'; body: Buffer }
  /** More than the limit; `body` is what came first, cut at the limit. The connection cannot be used again. */
  | { kind: 'cut'; body: Buffer }
  /** The client left before its request was complete. */
  | { kind: 'gone' }

const EMPTY: ReadBody = { kind: 'whole', body: Buffer.alloc(0) }

/** Collects a request body; what arrives in one piece is not copied. `limit` counts bytes. */
export function readBody(request: IncomingMessage, limit: number, done: (read: ReadBody) => void): void {
  const declared = request.headers['content-length']
  if (declared === '0' || (declared === undefined && request.headers['transfer-encoding'] === undefined)) {
    done(EMPTY)
    return
  }
  const expected = declared === undefined ? undefined : Number(declared)
  let first: Buffer | undefined
  let rest: Buffer[] | undefined
  let length = 0
  let ended = false
  const finish = (read: ReadBody): void => {
    if (ended) return
    ended = true
    done(read)
  }
  const whole = (): Buffer => {
    if (!first) return EMPTY.kind === 'whole' ? EMPTY.body : Buffer.alloc(0)
    return rest ? Buffer.concat([first, ...rest], length) : first
  }
  request.on('data', (chunk: Buffer) => {
    if (ended) return
    length += chunk.length
    if (!first) first = chunk
    else if (rest) rest.push(chunk)
    else rest = [chunk]
    if (length > limit) finish({ kind: 'cut', body: whole().subarray(0, limit) })
    else if (length === expected) finish({ kind: 'whole', body: whole() })
  })
  request.on('end', () => finish({ kind: 'whole', body: whole() }))
  request.on('close', () => finish({ kind: 'gone' }))
  request.on('error', () => finish({ kind: 'gone' }))
}

/** By what the client says itself, before a byte is read. */
export const isLargerThan = ({ headers }: IncomingMessage, limit: number): boolean =>
  Number(headers['content-length'] ?? 0) > limit

/** In the words of a node's EVM endpoints; the others have no limit there, but a server on the internet needs one. */
export const tooLarge = ({ headers }: IncomingMessage, limit: number): NodeAnswer => ({
  ...httpError(413, `content length too large (${headers['content-length'] ?? 'chunked'}>${limit})`),
  close: true,
})
