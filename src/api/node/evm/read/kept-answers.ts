import { type AnswerCache, LONGEST_KEPT_MS, withoutId } from '../../forward/answer-cache.ts'
import { JSON_EVM, type NodeAnswer } from '../../http/answer.ts'
import { resultOf } from '../answers.ts'
import type { ChainTip } from './chain-tip.ts'
import { isMissing } from './inspect.ts'
import type { ReadPlan } from './plan.ts'

/** When a call was sent. */
export interface Moment {
  /** The tip's mark. */
  mark: bigint | undefined
  /** How many transactions had been sent. */
  epoch: number
}

/** Cached answers that are still valid. Errors and null are never among them. */
export interface KeptAnswers {
  /** A whole body with the caller's id. */
  find(plan: ReadPlan, tip: ChainTip): NodeAnswer | undefined
  moment(tip: ChainTip): Moment
  /** `body` is a whole answer to the plan's call, which was sent at this moment. */
  keep(plan: ReadPlan, tip: ChainTip, asked: Moment, answer: NodeAnswer): void
}

export function createKeptAnswers(cache: AnswerCache, tipCacheMs: number): KeptAnswers {
  /** How long this answer stays valid, milliseconds; undefined = it is not cached. */
  const lifeOf = ({ finality }: ReadPlan, tip: ChainTip, body: Buffer): number | undefined => {
    if (finality?.kind === 'settled') return LONGEST_KEPT_MS
    if (finality?.kind === 'tip') return tipCacheMs
    if (finality?.kind !== 'immutable') return undefined
    const { block, finalWhen } = finality
    if (finalWhen !== undefined && !body.includes(finalWhen)) return undefined
    const mark = tip.mark()
    if (block !== undefined && (mark === undefined || block > mark)) return undefined
    return LONGEST_KEPT_MS
  }
  return {
    find: (plan, tip) => {
      const { finality, message } = plan
      if (!finality || message.id === undefined) return undefined
      const kept = cache.get(plan.key(), finality.kind === 'tip' ? tip.mark() : undefined)
      if (!kept) return undefined
      const answer: NodeAnswer = {
        status: 200,
        contentType: kept.contentType ?? JSON_EVM,
        body: Buffer.concat([kept.head, message.id, kept.tail]),
      }
      return kept.nodeId === undefined ? answer : { ...answer, nodeId: kept.nodeId }
    },
    moment: (tip) => ({ mark: tip.mark(), epoch: cache.epoch }),
    keep: (plan, tip, { mark, epoch }, { status, body, contentType, nodeId }) => {
      const { finality, message } = plan
      if (!finality || message.id === undefined || status !== 200) return
      if (finality.kind === 'tip' && (mark === undefined || tipCacheMs === 0)) return
      const result = resultOf(body)
      if (!result || isMissing(plan.read, result)) return
      const life = lifeOf(plan, tip, body)
      const parts = life === undefined ? undefined : withoutId(body, message.id, 'evm')
      if (life === undefined || !parts) return
      const of = finality.kind === 'tip' ? mark : undefined
      cache.set(plan.key(), { ...parts, contentType, nodeId, nosniff: false, tip: of, epoch }, life)
    },
  }
}
