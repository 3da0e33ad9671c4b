import { LRUCache } from 'lru-cache'
import type { Dialect } from '../routes/endpoint.ts'

/** An answer without the id it was given for. */
export interface KeptAnswer {
  /** Bytes before and behind the id. */
  head: Buffer
  tail: Buffer
  contentType: string | undefined
  nosniff: boolean
  nodeId: string | undefined
  /** The tip when it was asked for; undefined = it does not depend on it. */
  tip: bigint | undefined
  /** That of the cache when it was asked for. */
  epoch: number
}

/** Answers kept as the node's own bytes; another caller's id is put where the first one's was. */
export interface AnswerCache {
  get(key: string, tip: bigint | undefined): KeptAnswer | undefined
  /** `ttlMs`: at most; Infinity = as long as anything is kept. */
  set(key: string, answer: KeptAnswer, ttlMs: number): void
  /** Forgets what depends on the tip: a transaction went through, or a client is told of a new block. */
  forgetTip(): void
  /** How often that was so: what was asked for before the last time does not show it. */
  readonly epoch: number
  /** Forgets everything: the chain began anew. */
  clear(): void
  readonly size: number
}

export interface AnswerCacheOptions {
  bytes: number
  entries: number
  /** Told of each answer that is used again; for metrics. */
  onHit?: (() => void) | undefined
  /** Milliseconds that only grow; default: since this process began. */
  now?: () => number
}

/**
 * No answer is kept for longer, milliseconds, however final it is: nodes write what they have long accepted in another
 * way once they are newer (members are added), or once an upgrade activates under them (C-chain blocks from Helicon on).
 */
export const LONGEST_KEPT_MS = 600_000
const ENTRY_OVERHEAD = 300
/** Larger answers would push out too many small ones. */
const MAX_ANSWER_BYTES = 1_048_576
const MAX_KEY_LENGTH = 8_192

export function createAnswerCache(limits: AnswerCacheOptions): AnswerCache {
  const cache = new LRUCache<string, KeptAnswer>({
    max: limits.entries,
    maxSize: Math.max(1, limits.bytes),
    perf: { now: limits.now ?? (() => performance.now()) },
    sizeCalculation: (answer, key) => answer.head.length + answer.tail.length + key.length + ENTRY_OVERHEAD,
  })
  let epoch = 0
  const find = (key: string, tip: bigint | undefined): KeptAnswer | undefined => {
    const answer = cache.get(key)
    if (!answer) return undefined
    if (answer.tip === undefined || (answer.tip === tip && answer.epoch === epoch)) return answer
    cache.delete(key)
    return undefined
  }
  return {
    get: (key, tip) => {
      const answer = find(key, tip)
      if (answer) limits.onHit?.()
      return answer
    },
    set: (key, answer, ttlMs) => {
      if (limits.bytes === 0 || key.length > MAX_KEY_LENGTH) return
      if (answer.head.length + answer.tail.length > MAX_ANSWER_BYTES) return
      cache.set(key, answer, { ttl: Math.min(ttlMs, LONGEST_KEPT_MS) })
    },
    forgetTip: () => {
      epoch += 1
    },
    get epoch() {
      return epoch
    },
    clear: () => cache.clear(),
    get size() {
      return cache.size
    },
  }
}

const GORILLA_START = Buffer.from('{"jsonrpc":"2.0","result":')
const EVM_START = Buffer.from('{"jsonrpc":"2.0","id":')
const EVM_RESULT = Buffer.from(',"result":')

const hasAt = (body: Buffer, at: number, part: Buffer): boolean =>
  at >= 0 && body.length >= at + part.length && body.compare(part, 0, part.length, at, at + part.length) === 0

/**
 * Takes the id out of a successful answer; undefined when the answer is an error, null, or not in the node's own form.
 * The bytes are copied: an answer of a few bytes must not hold a whole network buffer.
 */
export function withoutId(body: Buffer, id: Buffer, dialect: Dialect): { head: Buffer; tail: Buffer } | undefined {
  if (dialect === 'gorilla') {
    const tail = Buffer.concat([Buffer.from(',"id":'), id, Buffer.from('}\n')])
    const at = body.length - tail.length
    if (!hasAt(body, 0, GORILLA_START) || !hasAt(body, at, tail) || hasAt(body, GORILLA_START.length, NULL_GORILLA))
      return undefined
    return { head: Buffer.from(body.subarray(0, body.length - id.length - 2)), tail: END }
  }
  const at = EVM_START.length + id.length
  if (!hasAt(body, 0, EVM_START) || !hasAt(body, EVM_START.length, id) || !hasAt(body, at, EVM_RESULT)) return undefined
  if (hasAt(body, at + EVM_RESULT.length, NULL_EVM)) return undefined
  return { head: EVM_START, tail: Buffer.from(body.subarray(at)) }
}

const END = Buffer.from('}\n')
const NULL_GORILLA = Buffer.from('null,')
const NULL_EVM = Buffer.from('null}')
