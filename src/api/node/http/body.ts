import type { IncomingMessage } from 'node:http'
import { MOST_MEMBERS } from '../json/many-members.ts'
import { httpError, type NodeAnswer } from './answer.ts'
import { createBodyBuffers, POOLED_FROM } from './body-buffers.ts'

/** Unused body memory that is kept for the next large body, bytes. */
const MAX_UNUSED = 33_554_432

export type ReadBody =
  /** `release` returns the memory of a large body: call it once the answer is sent and nothing reads the body. */
  | { kind: 'whole'; body: Buffer; release?: () => void }
  /** Above the limit. The connection cannot be reused. */
  | { kind: 'cut' }
  /** The client disconnected before its request was complete. */
  | { kind: 'gone' }

const buffers = createBodyBuffers(MAX_UNUSED)

const EMPTY: ReadBody = { kind: 'whole', body: Buffer.alloc(0) }
/** A client that only announces a large body gets no memory for it: this fraction of it must have arrived. */
const BELIEVED_AFTER = 8

/**
 * Assembles the pieces of a body. A body in one piece is not copied; a large body is copied piece by piece as it
 * arrives, so that the memory of each piece is free at once and the copy reads what is still in the CPU cache.
 */
class Collector {
  readonly #expected: number
  #parts: Buffer[] = []
  #whole: Buffer | undefined
  length = 0

  constructor(expected: number) {
    this.#expected = expected
  }

  add(chunk: Buffer): void {
    const at = this.length
    this.length += chunk.length
    if (this.#whole && this.length <= this.#whole.length) {
      chunk.copy(this.#whole, at)
      return
    }
    this.#parts.push(chunk)
    const { length } = this
    if (this.#expected >= POOLED_FROM && length < this.#expected && length * BELIEVED_AFTER >= this.#expected)
      this.#gather(this.#expected)
  }

  #gather(size: number): Buffer {
    const whole = buffers.take(size)
    let at = 0
    for (const part of this.#parts) at += part.copy(whole, at)
    this.#parts = []
    this.#whole = whole
    return whole
  }

  finish(): ReadBody {
    const [first] = this.#parts
    if (!this.#whole) {
      if (!first) return EMPTY
      if (this.#parts.length === 1) return { kind: 'whole', body: first }
      if (this.length < POOLED_FROM) return { kind: 'whole', body: Buffer.concat(this.#parts, this.length) }
    }
    const body = (this.#whole ?? this.#gather(this.length)).subarray(0, this.length)
    return { kind: 'whole', body, release: () => buffers.giveBack(body) }
  }

  /** The body is no longer needed. */
  drop(): void {
    if (this.#whole) buffers.giveBack(this.#whole)
    this.#whole = undefined
    this.#parts = []
  }
}

/** Collects a request body. `limit` counts bytes. */
export function readBody(request: IncomingMessage, limit: number, done: (read: ReadBody) => void): void {
  const declared = request.headers['content-length']
  if (declared === '0' || (declared === undefined && request.headers['transfer-encoding'] === undefined)) {
    done(EMPTY)
    return
  }
  const expected = declared === undefined ? undefined : Number(declared)
  const collector = new Collector(expected !== undefined && expected <= limit ? expected : 0)
  let ended = false
  const finish = (read: ReadBody): void => {
    if (ended) return
    ended = true
    if (read.kind !== 'whole') collector.drop()
    done(read)
  }
  request.on('data', (chunk: Buffer) => {
    if (ended) return
    collector.add(chunk)
    if (collector.length > limit) finish({ kind: 'cut' })
    else if (collector.length === expected) finish(collector.finish())
  })
  request.on('end', () => {
    if (!ended) finish(collector.finish())
  })
  request.on('close', () => finish({ kind: 'gone' }))
  request.on('error', () => finish({ kind: 'gone' }))
}

/** By the declared length, before a byte is read. */
export const isLargerThan = ({ headers }: IncomingMessage, limit: number): boolean =>
  Number(headers['content-length'] ?? 0) > limit

/** In the words of a node's EVM endpoints; a node's others have no limit, but a server on the internet needs one. */
export const tooLarge = ({ headers }: IncomingMessage, limit: number): NodeAnswer => ({
  ...httpError(413, `content length too large (${headers['content-length'] ?? 'chunked'}>${limit})`),
  close: true,
})

/** See `hasManyMembers`. */
export const tooManyMembers = (): NodeAnswer => httpError(413, `too many members in JSON (more than ${MOST_MEMBERS})`)
