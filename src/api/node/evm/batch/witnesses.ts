import type { AnswerVerdict, RawResponse } from '../../../../upstream/index.ts'
import { createEcho } from '../../forward/echo.ts'
import { judgeRpc, saysLimited, saysWithout } from '../../forward/judge.ts'
import { elementsOf } from '../../json/spans.ts'
import { resultOf, unansweredEntry } from '../answers.ts'
import type { EvmMessage } from '../message.ts'
import type { ChainTip } from '../read/chain-tip.ts'
import { type Attempts, inspect, isMissing, isOfNow, noAttempts } from '../read/inspect.ts'
import type { ReadPlan } from '../read/plan.ts'
import { matchAnswers } from './match-answers.ts'

/** Answers of a batch by call. */
export type Answers = Map<EvmMessage, Buffer>

/** The answers of all nodes that were asked the same batch, one after the other. */
export interface Witnesses {
  /** Whether to accept the answer of a node or ask the next one. */
  judge(response: RawResponse): AnswerVerdict
  /** Replaces answers of the last node by better ones of other nodes. True when something was replaced. */
  settle(answers: Answers): boolean
  /**
   * True when only answers that leave something out were given: after `settle` the call has an error until another node
   * is asked.
   */
  isWithheld(message: EvmMessage): boolean
  /** Late nodes whose answers about the current state are the newest there are, and the block that they lacked. */
  late(): { hosts: readonly string[]; block: bigint } | undefined
  /** True when a node may have left something out, so that nothing may be cached. */
  readonly isDoubtful: boolean
}

/** The answer to each call of the node with the highest block. */
function createHighest() {
  const kept = new Map<EvmMessage, { entry: Buffer; height: bigint }>()
  return {
    add(answers: Answers, height: bigint): void {
      for (const [message, entry] of answers)
        if ((kept.get(message)?.height ?? -1n) <= height) kept.set(message, { entry, height })
    },
    all: (): [EvmMessage, Buffer][] => [...kept].map(([message, { entry }]) => [message, entry]),
  }
}

/**
 * Each call counts by itself: a node that lacks the result of one call says nothing about another call.
 *
 * @param body the batch as sent
 * @param hosts the nodes
 */
export function createWitnesses(
  asked: readonly EvmMessage[],
  body: Buffer,
  plans: ReadonlyMap<EvmMessage, ReadPlan>,
  tip: ChainTip,
  hosts: readonly string[],
): Witnesses {
  const judgeWhole = judgeRpc(body)
  const isEcho = createEcho(body)
  const attempts = new Map<EvmMessage, Attempts>()
  for (const [message, plan] of plans) attempts.set(message, noAttempts(plan, tip, hosts))
  /** Valid answers of the nodes that have shown the newest block. */
  const newest = createHighest()
  /** Answers of nodes that had what others may lack. */
  const told: Answers = new Map()
  /** Calls to which a node gave an answer that leaves something out. */
  const incomplete = new Set<EvmMessage>()
  /** Answers about the current state by nodes without the newest block. */
  const older = createHighest()
  /** Answers that leave nothing out. */
  const complete: Answers = new Map()
  return {
    judge(response) {
      const verdict = judgeWhole(response)
      const isTold = verdict.kind === 'answer' || verdict.behind === true
      if (!isTold || response.status !== 200 || response.body.length === 0) return verdict
      const matched = matchAnswers(asked, elementsOf(response.body))
      if (!matched && verdict.kind === 'retry') return verdict
      if (!matched) return { kind: 'retry', behind: true, reason: 'does not answer batches' }
      if ([...matched.values()].some((entry) => saysLimited(entry, isEcho)))
        return { kind: 'retry', rateLimited: true, reason: 'turned calls of a batch away' }
      let worst: AnswerVerdict = verdict
      const good: Answers = new Map()
      const old: Answers = new Map()
      for (const [message, entry] of matched) {
        const plan = plans.get(message)
        const tried = attempts.get(message)
        const one = plan && tried && inspect(plan, tip, response.host, entry, tried)
        if (one?.kind === 'retry') {
          // The other calls' answers are passed on.
          worst = one.withhold ? { ...one, withhold: false } : one
          if (plan && one.withhold && isOfNow(plan)) old.set(message, entry)
          else if (one.withhold) incomplete.add(message)
          // "Pending" by a node that may lack the block says more than that there is no such transaction.
          else if (plan && hasValue(plan, entry) && !told.has(message)) told.set(message, entry)
        } else if (!saysWithout(entry)) {
          good.set(message, entry)
          complete.set(message, entry)
          if (plan?.read.mayBeMissing && hasValue(plan, entry)) told.set(message, entry)
        }
      }
      // The node's answers may have shown how far it is.
      const height = tip.shown(response.host)
      if (height !== undefined) newest.add(good, height)
      older.add(old, height ?? -1n)
      return worst
    },
    settle(answers) {
      let changed = false
      const put = (message: EvmMessage, entry: Buffer): void => {
        if (answers.get(message)?.equals(entry)) return
        answers.set(message, entry)
        changed = true
      }
      for (const message of incomplete)
        put(message, complete.get(message) ?? unansweredEntry(message.id, 'no node with the block answered'))
      // An older state is better than none.
      for (const [message, entry] of older.all()) put(message, complete.get(message) ?? entry)
      // If no node has the result of one call, the last node asked need not be up to date for the other calls.
      for (const [message, entry] of newest.all()) put(message, entry)
      // Two nodes may each lack one thing, and there may be no third that has both.
      for (const [message, entry] of told) {
        const plan = plans.get(message)
        const last = answers.get(message)
        if (plan && last && !hasValue(plan, last)) put(message, entry)
      }
      return changed
    },
    isWithheld: (message) => incomplete.has(message) && !complete.has(message),
    late() {
      for (const [message] of older.all()) {
        const { late: hosts, shown: block } = attempts.get(message) ?? {}
        if (!complete.has(message) && hosts && block !== undefined) return { hosts, block }
      }
      return undefined
    },
    get isDoubtful() {
      return [...attempts.values()].some(({ doubtful }) => doubtful)
    },
  }
}

const hasValue = ({ read }: ReadPlan, entry: Buffer): boolean => {
  const result = resultOf(entry)
  return result !== undefined && !isMissing(read, result)
}
