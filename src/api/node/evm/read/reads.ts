import type { AnswerVerdict, RawResponse } from '../../../../upstream/index.ts'
import { forwardHeaders } from '../../forward/call.ts'
import { answerOf } from '../../forward/forwarded-answer.ts'
import type { Forwarder } from '../../forward/forwarder.ts'
import { type Judge, judgeCall, judgeRpc } from '../../forward/judge.ts'
import type { NodePools } from '../../forward/node-pools.ts'
import type { NodeAnswer } from '../../http/answer.ts'
import type { Endpoint } from '../../routes/endpoint.ts'
import { bodyOf, resultEntry, resultOf, withId, withOwnId } from '../answers.ts'
import { CALL_MS, type EvmCall, MAX_SHARED_BODY } from '../call.ts'
import type { EvmMessage } from '../message.ts'
import type { ChainTip } from './chain-tip.ts'
import { createFlights } from './flights.ts'
import { type Attempts, heightIn, inspect, receiptHeight } from './inspect.ts'
import type { KeptAnswers } from './kept-answers.ts'
import { planRead, type ReadPlan } from './plan.ts'

/** Asks nodes: kept answers first, identical questions once, another node when one is behind. */
export interface EvmReads {
  /** @throws FirnError when no node answers. */
  read(call: EvmCall): Promise<NodeAnswer>
  /**
   * Bytes to any node that is not behind; `judge` reads what came. For what is asked anew each time. What is final already
   * needs no node with the newest block.
   */
  ask(
    call: Omit<EvmCall, 'message'>,
    judge: (response: RawResponse) => AnswerVerdict,
    isFinal?: boolean,
  ): Promise<NodeAnswer>
  /** A kept answer, without asking anybody. */
  find(endpoint: Endpoint, message: EvmMessage): NodeAnswer | undefined
  /** Before anything is asked for that some nodes may not have: who has executed the ends of ranges, who was synced by state. */
  learnEnds(tip: ChainTip, endpoint: Endpoint, plans: Iterable<ReadPlan>): Promise<void>
  /** Before receipts are handed out: until all nodes have their blocks, for a moment at most. */
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

/** Ids in which no words stand. */
const WORDLESS_ID = /^(?:\d{1,16}|"[\da-f-]{1,40}")$/i
const NOTHING = Buffer.alloc(0)

/**
 * Whether two calls that ask the same were sent in the same bytes, but for their ids. What a server says besides a result may
 * be about the bytes (a stranger's may end in garbage, which nodes pass over and servers before them do not), and how it is
 * read goes by them: words that stand there, in an id too, are none of the server's own.
 */
function isSentAlike(one: EvmCall, other: EvmCall): boolean {
  if (one.contentType !== other.contentType) return false
  const ids = [one.message.id, other.message.id]
  if (!ids.every((id) => WORDLESS_ID.test(id?.toString('latin1', 0, 64) ?? ''))) return false
  return withOwnId(one.body, NOTHING).equals(withOwnId(other.body, NOTHING))
}

/** Written out: of a copy with a member replaced each has to be given its shape anew. */
const withSignal = ({ endpoint, message, body, contentType }: EvmCall, signal: AbortSignal): EvmCall => ({
  endpoint,
  message,
  body,
  contentType,
  signal,
})

const FIRST_BLOCK = 1n

const hex = (value: bigint): string => `"0x${value.toString(16)}"`

/**
 * The number of the newest block never falls for clients: blocks are accepted for good, so that a block once shown
 * exists, whatever the nodes that are left have seen of it. Undefined = the answer is right as it is.
 */
export function neverLower(plan: ReadPlan, tip: ChainTip, entry: Buffer): Buffer | undefined {
  if (plan.message.method !== 'eth_blockNumber') return undefined
  const result = resultOf(entry)
  const height = result && heightIn(plan, result)
  const mark = tip.mark()
  if (height === undefined || mark === undefined || height >= mark || tip.wasSetBack()) return undefined
  return resultEntry(plan.message.id, hex(mark))
}

/** Says what was, not what is now. */
export const isFinal = ({ finality }: ReadPlan): boolean => finality !== undefined && finality.kind !== 'tip'

export function createEvmReads({ pools, kept, tipOf, lacks }: EvmReadsDeps): EvmReads {
  const flights = createFlights<{ answer: NodeAnswer; id: Buffer; of: EvmCall }>()

  const ask: EvmReads['ask'] = async ({ endpoint, body, contentType, signal }, judge, isFinal = false) => {
    const group = pools.group(endpoint.source)
    const tip = tipOf(endpoint)
    await tip.ready(group, endpoint)
    const headers = forwardHeaders({ method: 'POST', contentType, contentEncoding: undefined, query: '', body })
    const request = { method: 'POST', path: group.path(endpoint), headers, body } as const
    const deadline = Date.now() + CALL_MS
    // Both, as the second is looked at by being asked about: what was imported and exported moves balances and nonces, too.
    const avoid = (host: string): boolean => {
      const isLate = lacks(host)
      return tip.mayLackNewest(host, group, endpoint) || isLate
    }
    const options = isFinal ? { signal, deadline, judge } : { signal, deadline, judge, avoid }
    return answerOf(await group.pool.exchange(request, options))
  }
  const learnEnds: EvmReads['learnEnds'] = async (tip, endpoint, plans) => {
    const group = pools.group(endpoint.source)
    for (const { read, finality, from } of plans) {
      // How long the chain is must be known by then.
      if (from !== undefined) await tip.ready(group, endpoint)
      if (from !== undefined) await tip.history.learn(group, endpoint, from)
      // Of two one says what the other has not got, whoever they are.
      else if (read.mayBeMissing && read.depends.on === 'hash' && group.members().length > 2)
        await tip.history.learn(group, endpoint, FIRST_BLOCK)
      if (read.depends.on === 'range' && finality?.kind === 'immutable' && finality.block !== undefined)
        await tip.execution.learn(group, endpoint, finality.block)
    }
  }
  const settleReceipts: EvmReads['settleReceipts'] = async ({ endpoint, signal }, answers) => {
    const heights = answers.map(([plan, entry]) => receiptHeight(plan, entry)).filter((height) => height !== undefined)
    const highest = heights.sort((a, b) => (a < b ? -1 : 1)).at(-1)
    if (highest !== undefined)
      await tipOf(endpoint).common.reach(pools.group(endpoint.source), endpoint, highest, signal)
  }
  const askPlanned = async (call: EvmCall, plan: ReadPlan): Promise<NodeAnswer> => {
    const tip = tipOf(call.endpoint)
    const asked = kept.moment(tip)
    const attempts: Attempts = { missing: false, doubtful: false }
    await learnEnds(tip, call.endpoint, [plan])
    const judge = judgeFor(call)
    const inspected = (response: RawResponse): AnswerVerdict => {
      const verdict = judge(response)
      if (verdict.kind !== 'answer' || response.status !== 200) return verdict
      return inspect(plan, tip, response.host, response.body, attempts)
    }
    const answer = await ask(call, inspected, isFinal(plan))
    const higher = neverLower(plan, tip, answer.body)
    if (higher) return bodyOf(higher)
    // What is kept is told at once: whoever asks meanwhile has to wait, too.
    await settleReceipts(call, [[plan, answer.body]])
    if (!attempts.doubtful) kept.keep(plan, tip, asked, answer)
    return answer
  }
  return {
    ask,
    learnEnds,
    settleReceipts,
    tip: tipOf,
    find: (endpoint, message) => {
      const plan = planRead(endpoint, message)
      return plan && kept.find(plan, tipOf(endpoint))
    },
    read: async (call) => {
      const plan = call.body.length > MAX_SHARED_BODY ? undefined : planRead(call.endpoint, call.message)
      const { id } = call.message
      if (!plan || id === undefined) return ask(call, judgeFor(call))
      const tip = tipOf(call.endpoint)
      const known = kept.find(plan, tip)
      if (known) return known
      // Who has seen a newer block, or has sent a transaction, must not be handed an answer that was asked for before.
      const { mark, epoch } = kept.moment(tip)
      const key = `${plan.key}\n${epoch}${plan.finality?.kind === 'tip' ? `\n${mark}` : ''}`
      const {
        answer,
        id: asked,
        of,
      } = await flights.share(key, call.signal, async (signal) => ({
        answer: await askPlanned(withSignal(call, signal), plan),
        id,
        of: call,
      }))
      if (of !== call && !resultOf(answer.body) && !isSentAlike(of, call)) return askPlanned(call, plan)
      if (asked.equals(id)) return answer
      const own = withId(answer.body, asked, id)
      return own ? { ...answer, body: own } : askPlanned(call, plan)
    },
  }
}
