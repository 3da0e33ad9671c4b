import { LRUCache } from 'lru-cache'
import type { Dialect } from '../routes/endpoint.ts'
import { hasAt } from './answered-call.ts'

/** An answer without the id of its call. */
export interface KeptAnswer {
  /** Bytes before and after the id. */
  head: Buffer
  tail: Buffer
  contentType: string | undefined
  nosniff: boolean
  nodeId: string | undefined
  /** The tip when the call was sent; undefined = the answer does not depend on it. */
  tip: bigint | undefined
  /** The cache's epoch when the call was sent. */
  epoch: number
}

/** Caches answers as the node's own bytes; the id of the new caller is put in the place of the first one's. */
export interface AnswerCache {
  get(key: string, tip: bigint | undefined): KeptAnswer | undefined
  /** `ttlMs`: an upper bound; Infinity = as long as the cache keeps anything. */
  set(key: string, answer: KeptAnswer, ttlMs: number): void
  /** Drops what depends on the tip: a transaction was sent, or a client is told of a new block. */
  forgetTip(): void
  /** Number of those calls: an answer to a call sent before the last one does not reflect it. */
  readonly epoch: number
  /** Drops everything: the chain was reset. */
  clear(): void
  readonly size: number
}

export interface AnswerCacheOptions {
  bytes: number
  entries: number
  /** Called for each answer that is reused; for metrics. */
  onHit?: (() => void) | undefined
  /** Monotonic milliseconds; default: since this process started. */
  now?: () => number
}

/**
 * Longest time that any answer is cached, milliseconds, even a final one: nodes present accepted data differently after
 * an upgrade of the node (added members) or the activation of a network upgrade (C-chain blocks from Helicon on).
 */
export const LONGEST_KEPT_MS = 600_000
const ENTRY_OVERHEAD = 300
/** Larger answers would evict too many small ones. */
const MAX_ANSWER_BYTES = 1_048_576
const MAX_KEY_LENGTH = 8_192

export function createAnswerCache(limits: AnswerCacheOptions): AnswerCache {
  const maxSize = Math.max(1, limits.bytes)
  const leastWeight = Math.ceil(maxSize / limits.entries)
  const cache = new LRUCache<string, KeptAnswer>({
    maxSize,
    perf: { now: limits.now ?? (() => performance.now()) },
    // No more answers than `entries`, without `max`: see `roomFor`.
    sizeCalculation: (answer, key) =>
      Math.max(leastWeight, answer.head.length + answer.tail.length + key.length + ENTRY_OVERHEAD),
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

/**
 * Takes the id out of a successful answer; undefined when the answer is an error, null, or not in the node's own form.
 * The bytes are copied, so that an answer of a few bytes does not retain a whole network buffer.
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
