import { LRUCache } from 'lru-cache'
import { roomFor } from '../../lib/room-for.ts'
import type { Freshness } from '../../services/balances/index.ts'
import type { BalanceQuery } from '../../services/balances/types.ts'
import type { Refused } from './by-prefixes.ts'
import { planRequest } from './plan.ts'
import type { RequestBody } from './request-schema.ts'

/** What a body asks for, checked and planned. Identical bytes yield the same object while it is cached. */
export interface Question {
  query: BalanceQuery
  /** The last complete answer: its events, all of them as bytes, and how long they stay valid. */
  answer?: { events: readonly string[]; bytes: Buffer; freshness: Freshness }
}

export type Asked = { ok: true; question: Question } | Refused

/** Wallets poll with the same few hundred bytes every five seconds; the largest bodies are sent once. */
const LONGEST_BODY = 16 * 1024
/** Size of the cached bodies and answers, bytes. */
const KEPT_BYTES = 32 * 1024 * 1024
/** Approximate size of a plan per byte of its body. */
const PLAN_WEIGHT = 8

/**
 * Caches polled bodies by their exact bytes, so that a poll needs no parsing, checking or planning, and their answers,
 * so that an unchanged answer is not joined and encoded again. Bounded in bytes; eviction only costs time.
 */
export function createQuestions(validate: (body: unknown) => { ok: true; body: RequestBody } | Refused) {
  const kept = new LRUCache<string, Question>(roomFor(KEPT_BYTES))
  const keys = new WeakMap<Question, string>()

  return {
    /** The cached question of a body. */
    known: (raw: Buffer): Question | undefined =>
      raw.length > LONGEST_BODY ? undefined : kept.get(raw.toString('latin1')),

    /** Checks and plans the parsed body; the issues say what is wrong with it. */
    ask(raw: Buffer, json: unknown): Asked {
      const checked = validate(json)
      if (!checked.ok) return checked
      const { currency = 'usd', showUntrustedTokens = false } = checked.body
      const question: Question = { query: { chains: planRequest(checked.body), currency, showUntrustedTokens } }
      if (raw.length <= LONGEST_BODY) {
        const key = raw.toString('latin1')
        keys.set(question, key)
        kept.set(key, question, { size: key.length * PLAN_WEIGHT })
      }
      return { ok: true, question }
    },

    /** The bytes of a complete answer; the previous ones when no event has changed. */
    bytesOf(question: Question, events: readonly string[], freshness: Freshness): Buffer {
      const { answer } = question
      if (answer && answer.events.length === events.length && events.every((one, at) => one === answer.events[at])) {
        answer.freshness = freshness
        return answer.bytes
      }
      const bytes = Buffer.from(events.join(''))
      const key = keys.get(question)
      if (key !== undefined && kept.peek(key) === question) {
        question.answer = { events, bytes, freshness }
        // The cache sizes new values only: setting the same one again would keep the size without an answer.
        kept.delete(key)
        // The events are also kept as text.
        kept.set(key, question, { size: key.length * PLAN_WEIGHT + 2 * bytes.length })
      }
      return bytes
    },
  }
}

export type Questions = ReturnType<typeof createQuestions>
