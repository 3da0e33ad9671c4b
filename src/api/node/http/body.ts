import type { IncomingMessage } from 'node:http'
import { httpError, type NodeAnswer } from './answer.ts'
import { createBodyBuffers, POOLED_FROM } from './body-buffers.ts'

/** Bytes of body memory that may wait for the next large body. */
const MAX_UNUSED = 33_554_432

export type ReadBody =
  /** `release` gives the memory of a large body back: once its answer is out and nobody reads it any more. */
  | { kind: 'whole'; body: Buffer; release?: () => void }
  /** More than the limit. The connection cannot be used again. */
  | { kind: 'cut' }
  /** The client left before its request was complete. */
  | { kind: 'gone' }

const buffers = createBodyBuffers(MAX_UNUSED)

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
  const whole = (): ReadBody => {
    if (!first) return EMPTY
    if (!rest) return { kind: 'whole', body: first }
    if (length < POOLED_FROM) return { kind: 'whole', body: Buffer.concat([first, ...rest], length) }
    const body = buffers.take(length)
    let at = first.copy(body)
    for (const part of rest) at += part.copy(body, at)
    return { kind: 'whole', body, release: () => buffers.giveBack(body) }
  }
  request.on('data', (chunk: Buffer) => {
    if (ended) return
    length += chunk.length
    if (!first) first = chunk
    else if (rest) rest.push(chunk)
    else rest = [chunk]
    if (length > limit) finish({ kind: 'cut' })
    else if (length === expected) finish(whole())
  })
  request.on('end', () => {
    if (!ended) finish(whole())
  })
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
