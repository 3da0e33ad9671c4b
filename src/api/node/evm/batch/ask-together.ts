import { FirnError } from '../../../../errors.ts'
import { mapBounded } from '../../../../lib/waiting/map-bounded.ts'
import { saysWithout } from '../../forward/judge.ts'
import type { NodeAnswer } from '../../http/answer.ts'
import { elementsOf } from '../../json/spans.ts'
import type { Endpoint } from '../../routes/endpoint.ts'
import { resultOf } from '../answers.ts'
import { CALL_MS } from '../call.ts'
import type { EvmRequest } from '../endpoint.ts'
import type { EvmMessage } from '../message.ts'
import type { KeptAnswers } from '../read/kept-answers.ts'
import { planRead, type ReadPlan } from '../read/plan.ts'
import { type EvmReads, isFinal, neverLower } from '../read/reads.ts'
import { type AskEach, AT_ONCE } from './ask-each.ts'
import { matchAnswers } from './match-answers.ts'
import { numbered, shareIds, underOwnId } from './own-ids.ts'
import { createResultRoom } from './result-room.ts'
import { joinEntries, splitBatch } from './split-batch.ts'
import { type Answers, createWitnesses } from './witnesses.ts'

/**
 * Answers by call, or one answer to all calls (a status that says more than any entry could).
 * `whole` = the node's own bytes, where nothing in them was replaced.
 */
export type Asked = { kind: 'each'; answers: Answers; whole?: NodeAnswer } | { kind: 'whole'; answer: NodeAnswer }

export interface AskTogetherDeps {
  reads: EvmReads
  kept: KeptAnswers
  each: AskEach
  /** The nodes that may be asked. */
  hostsOf(endpoint: Endpoint): readonly string[]
}

/**
 * Sends calls of a batch to one node as one batch, and asks other nodes for what that node lacks.
 * @param areAll they are the whole batch, whose bytes are sent unchanged
 */
export type AskTogether = (request: EvmRequest, asked: readonly EvmMessage[], areAll: boolean) => Promise<Asked>

/** Calls of one batch that are sent to other nodes because the first lacks what they ask for. */
const MOST_ELSEWHERE = 64
const NEWLINE = Buffer.from('\n')

/** For a call that already has an answer: a failure at other nodes does not take it away. */
const ignoreFailure = (error: unknown): undefined => {
  if (!(error instanceof FirnError)) throw error
}

export function createAskTogether({ reads, kept, each, hostsOf }: AskTogetherDeps): AskTogether {
  /** One by one if the node does not answer batches. */
  const askNode = async (
    request: EvmRequest,
    asked: readonly EvmMessage[],
    body: Buffer,
    isAgain = false,
  ): Promise<Asked> => {
    const { endpoint, contentType, signal } = request
    const until = performance.now() + CALL_MS
    const tip = reads.tip(endpoint)
    const moment = kept.moment(tip)
    const plans = new Map<EvmMessage, ReadPlan>()
    for (const message of asked) {
      const plan = planRead(endpoint, message)
      if (plan) plans.set(message, plan)
    }
    await reads.learnEnds(tip, endpoint, plans.values())
    const witnesses = createWitnesses(asked, body, plans, tip, hostsOf(endpoint))
    const areFinal = plans.size === asked.length && [...plans.values()].every(isFinal)
    const deadline = Date.now() + CALL_MS
    const whole = await reads.ask({ endpoint, body, contentType, signal, deadline }, witnesses.judge, areFinal)
    if (whole.status !== 200) return { kind: 'whole', answer: whole }
    const answers = matchAnswers(asked, elementsOf(whole.body))
    if (!answers) return { kind: 'each', answers: (await each.all(request, asked)).answers }
    const late = isAgain ? undefined : witnesses.late()
    if (late && (await reads.catchesUp(request, late.block, late.hosts))) return askNode(request, asked, body, true)
    let changed = witnesses.settle(answers)
    const entries = [...plans].flatMap(([message, plan]) => {
      const entry = answers.get(message)
      return entry ? [[plan, entry, message] as const] : []
    })
    await reads.settleReceipts(request, entries)
    changed = (await askElsewhere(request, answers, until, witnesses.isWithheld)) || changed
    for (const [plan, entry, message] of entries) {
      const higher = neverLower(plan, tip, entry)
      changed ||= higher !== undefined
      if (higher) answers.set(message, higher)
      else if (!witnesses.isDoubtful) kept.keep(plan, tip, moment, { ...whole, body: Buffer.concat([entry, NEWLINE]) })
    }
    return changed ? { kind: 'each', answers } : { kind: 'each', answers, whole }
  }
  /**
   * Asks other nodes for what one node lacks: each call on its own, because no single node need have everything.
   * @returns whether any call was asked again
   */
  const askElsewhere = async (
    request: EvmRequest,
    answers: Answers,
    until: number,
    isWithheld: (message: EvmMessage) => boolean,
  ): Promise<boolean> => {
    if (hostsOf(request.endpoint).length < 2) return false
    const without = [...answers].flatMap(([message, entry]) =>
      message.kind === 'call' && (saysWithout(entry) || isWithheld(message)) ? [message] : [],
    )
    const asked = without.slice(0, MOST_ELSEWHERE)
    if (asked.length === 0) return false
    // Each call may take as long as a single call, and they run in groups: without this deadline they would take
    // several times as long.
    const patience = new AbortController()
    const timer = setTimeout(() => patience.abort(), until - performance.now())
    const inTime = { ...request, signal: AbortSignal.any([request.signal, patience.signal]) }
    const room = createResultRoom()
    await mapBounded(asked, AT_ONCE, async (message) => {
      if (room.isFull()) return
      const entry = await each.one(inTime, message).catch(ignoreFailure)
      if (!entry || !resultOf(entry)) return
      answers.set(message, entry)
      room.add(entry)
    }).finally(() => clearTimeout(timer))
    return true
  }
  /** Calls that share an id are sent with numbers as ids: each cached answer must belong to its call. */
  const askNumbered = async (request: EvmRequest, asked: readonly EvmMessage[]): Promise<Asked> => {
    const body = numbered(request.body, asked)
    const own = splitBatch(body, 0)
    const told = await askNode({ ...request, body }, own, body)
    if (told.kind === 'whole') return told
    const answers: Answers = new Map()
    for (const [index, message] of asked.entries()) {
      const entry = own[index] && told.answers.get(own[index])
      if (entry) answers.set(message, underOwnId(message, entry))
    }
    return { kind: 'each', answers }
  }
  return (request, asked, areAll) =>
    shareIds(asked)
      ? askNumbered(request, asked)
      : askNode(request, asked, areAll ? request.body : joinEntries(request.body, asked))
}
