import { DeadlineError } from '../../../../errors.ts'
import type { AnswerVerdict, RawResponse } from '../../../../upstream/index.ts'
import { answerOf } from '../../forward/forwarded-answer.ts'
import type { Forwarder } from '../../forward/forwarder.ts'
import { type Judge, judgeCall, judgeRpc } from '../../forward/judge.ts'
import { createCompleteNode } from '../../forward/nodes/complete-node.ts'
import type { NodePools } from '../../forward/nodes/node-pools.ts'
import type { NodeAnswer } from '../../http/answer.ts'
import type { Endpoint } from '../../routes/endpoint.ts'
import { bodyOf, resultEntry, resultOf, withId, withOwnId } from '../answers.ts'
import { type EvmCall, evmRequest, MAX_SHARED_BODY } from '../call.ts'
import type { EvmMessage } from '../message.ts'
import { toQuantity } from '../quantity.ts'
import type { ChainTip } from './chain-tip.ts'
import { createFlights } from './flights.ts'
import {
  endOf,
  heightIn,
  hostsWith,
  inspect,
  isOfHash,
  isOfNow,
  neededBlock,
  noAttempts,
  receiptHeight,
} from './inspect.ts'
import type { KeptAnswers } from './kept-answers.ts'
import { planRead, type ReadPlan } from './plan.ts'

/** Asks nodes: answers from the cache first, joins identical calls, and asks another node when one lags. */
export interface EvmReads {
  /** @throws FirnError when no node answers. */
  read(call: EvmCall): Promise<NodeAnswer>
  /**
   * Sends bytes to any node that does not lag; `judge` reads the response. For calls that are never cached. A call
   * whose answer is final needs no node with the newest block.
   */
  ask(
    call: Omit<EvmCall, 'message'>,
    judge: (response: RawResponse) => AnswerVerdict,
    isFinal?: boolean,
  ): Promise<NodeAnswer>
  /** A cached answer, without asking a node. */
  find(endpoint: Endpoint, message: EvmMessage): NodeAnswer | undefined
  /**
   * Before requesting what some nodes may lack: finds out which executed the ends of ranges, which were state-synced.
   */
  learnEnds(tip: ChainTip, endpoint: Endpoint, plans: Iterable<ReadPlan>): Promise<void>
  /** When nobody but late nodes is left: `Execution.catchesUp`. */
  catchesUp(call: Pick<EvmCall, 'endpoint' | 'signal'>, block: bigint, hosts: readonly string[]): Promise<boolean>
  /** Before receipts are handed out: waits until all nodes have their blocks, but only briefly. */
  settleReceipts(
    call: Pick<EvmCall, 'endpoint' | 'signal'>,
    answers: readonly (readonly [plan: ReadPlan, entry: Buffer, ...unknown[]])[],
  ): Promise<void>
  tip(endpoint: Endpoint): ChainTip
}

export interface EvmReadsDeps {
  pools: NodePools
  kept: KeptAnswers
  tipOf(endpoint: Endpoint): ChainTip
  lacks: Forwarder['lacks']
}

const judgeFor = ({ message: { kind, id }, body }: EvmCall): Judge =>
  kind === 'call' && id ? judgeCall(id, body) : judgeRpc(body)

/** Ids that cannot contain words. */
const WORDLESS_ID = /^(?:\d{1,16}|"[\da-f-]{1,40}")$/i
const NOTHING = Buffer.alloc(0)

/**
 * Whether two calls with the same question have the same bytes, except for their ids. A server's error may be about the
 * bytes (a caller's body may end in garbage, which nodes ignore and servers in front of them do not) and is interpreted
 * with them: words that stand there, or in an id, are not the server's own.
 */
function isSentAlike(one: EvmCall, other: EvmCall): boolean {
  if (one.contentType !== other.contentType) return false
  const ids = [one.message.id, other.message.id]
  if (!ids.every((id) => WORDLESS_ID.test(id?.toString('latin1', 0, 64) ?? ''))) return false
  return withOwnId(one.body, NOTHING).equals(withOwnId(other.body, NOTHING))
}

/** Written out: V8 would have to build a new shape for every copy with a replaced member. */
const withSignal = ({ endpoint, message, body, contentType, deadline }: EvmCall, signal: AbortSignal): EvmCall => ({
  endpoint,
  message,
  body,
  contentType,
  signal,
  deadline,
})

const isShared = ({ body }: EvmCall): boolean => body.length <= MAX_SHARED_BODY

const FIRST_BLOCK = 1n

/**
 * The newest block number never falls for clients: blocks are accepted for good, so a block that was shown exists, even
 * if the remaining nodes have not seen it. Undefined = the answer needs no correction.
 */
export function neverLower(plan: ReadPlan, tip: ChainTip, entry: Buffer): Buffer | undefined {
  if (plan.message.method !== 'eth_blockNumber') return undefined
  const result = resultOf(entry)
  const height = result && heightIn(plan, result)
  const mark = tip.mark()
  if (height === undefined || mark === undefined || height >= mark || tip.wasSetBack()) return undefined
  return resultEntry(plan.message.id, `"${toQuantity(mark)}"`)
}

/** The answer is about the past, not the current state. */
export const isFinal = ({ finality }: ReadPlan): boolean => finality !== undefined && finality.kind !== 'tip'

export function createEvmReads({ pools, kept, tipOf, lacks }: EvmReadsDeps): EvmReads {
  const complete = createCompleteNode()
  const flights = createFlights<{ answer: NodeAnswer; id: Buffer; of: EvmCall }>()

  const ask: EvmReads['ask'] = async (call, judge, isFinal = false) => {
    const { endpoint, signal, deadline } = call
    const group = pools.group(endpoint.source)
    const tip = tipOf(endpoint)
    await tip.ready(group, endpoint)
    const request = evmRequest(call, group.path(endpoint))
    if (isFinal) return answerOf(await group.pool.exchange(request, { signal, deadline, judge }))
    const isOld = (host: string): boolean => tip.mayLackNewest(host, group, endpoint)
    // Calls both checks, because the first triggers a look at the node: imports and exports also move balances and
    // nonces.
    const isOldOrLate = (host: string): boolean => {
      const isLate = lacks(host)
      return isOld(host) || isLate
    }
    // Where every node lacks something, one with the newest block is better than one without it.
    const found = complete(endpoint.path, group, isOldOrLate, signal)
    const avoid = (found instanceof Promise ? await found : found) ? isOldOrLate : isOld
    return answerOf(await group.pool.exchange(request, { signal, deadline, judge, avoid }))
  }
  const learnEnds: EvmReads['learnEnds'] = async (tip, endpoint, plans) => {
    const group = pools.group(endpoint.source)
    for (const plan of plans) {
      const { read, from } = plan
      // The length of the chain must be known by then.
      if (from !== undefined) await tip.ready(group, endpoint)
      if (from !== undefined) await tip.history.learn(group, endpoint, from)
      // With two nodes, both are asked anyway, so it does not matter which of them was state-synced.
      else if (read.mayBeMissing && read.depends.on === 'hash' && group.members().length > 2) {
        await tip.history.learn(group, endpoint, FIRST_BLOCK)
        // Looks at those that are not known to have the newest block, so that their "not found" counts soon.
        for (const { host } of group.members()) tip.mayLackNewest(host, group, endpoint)
      }
      if (isOfHash(plan)) await tip.execution.learnNewest(group, endpoint)
      else if (read.depends.on === 'range') await tip.execution.learn(group, endpoint, endOf(plan))
    }
  }
  const settleReceipts: EvmReads['settleReceipts'] = async ({ endpoint, signal }, answers) => {
    const heights = answers.map(([plan, entry]) => receiptHeight(plan, entry)).filter((height) => height !== undefined)
    const highest = heights.sort((a, b) => (a < b ? -1 : 1)).at(-1)
    if (highest !== undefined)
      await tipOf(endpoint).common.reach(pools.group(endpoint.source), endpoint, highest, signal)
  }
  const catchesUp: EvmReads['catchesUp'] = ({ endpoint, signal }, block, hosts) =>
    tipOf(endpoint).execution.catchesUp(pools.group(endpoint.source), endpoint, block, hosts, signal)
  const askPlanned = async (call: EvmCall, plan: ReadPlan): Promise<NodeAnswer> => {
    const tip = tipOf(call.endpoint)
    const asked = kept.moment(tip)
    const group = pools.group(call.endpoint.source)
    await learnEnds(tip, call.endpoint, [plan])
    const attempts = noAttempts(plan, tip, group.hosts)
    const judge = judgeFor(call)
    const inspected = (response: RawResponse): AnswerVerdict => {
      const verdict = judge(response)
      if (verdict.kind !== 'answer' || response.status !== 200) return verdict
      return inspect(plan, tip, response.host, response.body, attempts)
    }
    const answer = await ask(call, inspected, isFinal(plan)).catch(async (error: unknown) => {
      // A late node may have caught up since it was last asked for its height, and is the only one left.
      const block = neededBlock(plan, attempts.shown)
      if (block === undefined || attempts.late.length === 0) throw error
      const hasCaughtUp = await catchesUp(call, block, attempts.late)
      if (!hasCaughtUp && !tip.wasSetBack() && !isOfNow(plan)) throw error
      // A chain that was set back has no newer block to lack, and an older state is better than none.
      attempts.had = hasCaughtUp ? hostsWith(plan, tip, group.hosts, attempts.shown) : new Set(group.hosts)
      return ask(call, inspected, isFinal(plan))
    })
    const higher = neverLower(plan, tip, answer.body)
    if (higher) return bodyOf(higher)
    // Before caching: a cached answer is served at once, and callers that ask meanwhile have to wait, too.
    await settleReceipts(call, [[plan, answer.body]])
    if (!attempts.doubtful && isShared(call)) kept.keep(plan, tip, asked, answer)
    return answer
  }
  const read: EvmReads['read'] = async (call) => {
    const plan = planRead(call.endpoint, call.message)
    const { id } = call.message
    if (!plan || id === undefined) return ask(call, judgeFor(call))
    if (!isShared(call)) return askPlanned(call, plan)
    const tip = tipOf(call.endpoint)
    const known = kept.find(plan, tip)
    if (known) return known
    // A caller that has seen a newer block or sent a transaction must not get the answer of an earlier call, even to a
    // question with a final answer: nothing was found then, or it was an error.
    const { mark, epoch } = kept.moment(tip)
    const key = `${plan.key()}\n${epoch}\n${mark}`
    let isFirst = false
    const work = async (signal: AbortSignal) => {
      isFirst = true
      return { answer: await askPlanned(withSignal(call, signal), plan), id, of: call }
    }
    const told = await flights.share(key, call.signal, work).catch((error: unknown) => {
      if (isFirst || !(error instanceof DeadlineError) || Date.now() >= call.deadline) throw error
      return undefined
    })
    // The time of whoever asked first was over.
    if (!told) return read(call)
    const { answer, id: asked, of } = told
    if (of !== call && !resultOf(answer.body) && !isSentAlike(of, call)) return askPlanned(call, plan)
    if (asked.equals(id)) return answer
    const own = withId(answer.body, asked, id)
    return own ? { ...answer, body: own } : askPlanned(call, plan)
  }
  return {
    ask,
    learnEnds,
    settleReceipts,
    catchesUp,
    tip: tipOf,
    find: (endpoint, message) => {
      const plan = planRead(endpoint, message)
      return plan && kept.find(plan, tipOf(endpoint))
    },
    read,
  }
}
