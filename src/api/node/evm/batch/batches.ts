import { FirnError } from '../../../../errors.ts'
import { mapBounded } from '../../../../lib/waiting/map-bounded.ts'
import { saysWithout } from '../../forward/judge.ts'
import { JSON_EVM, type NodeAnswer } from '../../http/answer.ts'
import { elementsOf } from '../../json/spans.ts'
import type { Endpoint } from '../../routes/endpoint.ts'
import { EVM_CODES, errorEntry, refusedBody, resultOf, silence, trimmed, unansweredEntry } from '../answers.ts'
import { CALL_MS, type EvmCall } from '../call.ts'
import type { EvmRequest } from '../endpoint.ts'
import type { EvmMessage } from '../message.ts'
import type { KeptAnswers } from '../read/kept-answers.ts'
import { planRead, type ReadPlan } from '../read/plan.ts'
import { type EvmReads, isFinal, neverLower } from '../read/reads.ts'
import { joinAnswers } from './join-answers.ts'
import { matchAnswers } from './match-answers.ts'
import { numbered, shareIds, underOwnId } from './own-ids.ts'
import { createResultRoom, tooLarge } from './result-room.ts'
import { joinEntries, MAX_BATCH, splitBatch } from './split-batch.ts'
import { type Answers, createWitnesses } from './witnesses.ts'

/** Arrays of calls: each entry is answered from the cache or by a node, and answers are in the order of the calls. */
export interface EvmBatches {
  /** `start` = where the array begins; the body has been validated. */
  answer(request: EvmRequest, start: number): Promise<NodeAnswer>
}

export interface EvmBatchesDeps {
  reads: EvmReads
  kept: KeptAnswers
  /** Answers one call by itself. */
  single(call: EvmCall): Promise<NodeAnswer>
  /** True for calls that must not be sent with others: writes, filters, calls to one certain node or to all nodes. */
  isAlone(message: EvmMessage): boolean
  /** True for calls that change something: later calls are sent only after they are done. */
  isWrite(method: string): boolean
  /** The nodes that may be asked. */
  hostsOf(endpoint: Endpoint): readonly string[]
}

/** Calls of one batch that are sent on their own at the same time. */
const AT_ONCE = 8
/** Calls of one batch that are sent to other nodes because the first lacks what they ask for. */
const MOST_ELSEWHERE = 64
const NEWLINE = Buffer.from('\n')

/** Answers by call, or one answer to everything (a status that says more than any entry could). */
type Asked = { kind: 'each'; answers: Answers; whole?: NodeAnswer } | { kind: 'whole'; answer: NodeAnswer }

/** A copy: the rest of a small body may still be sent after the node has answered. */
const bytesOf = ({ body }: EvmRequest, { span }: EvmMessage): Buffer => Buffer.from(body.subarray(span.from, span.to))

/** Runs of calls that may be answered concurrently; a write is a run of its own. */
function runsOf(messages: readonly EvmMessage[], isWrite: (method: string) => boolean): EvmMessage[][] {
  const runs: EvmMessage[][] = []
  let open: EvmMessage[] | undefined
  for (const message of messages) {
    if (isWrite(message.method)) {
      runs.push([message])
      open = undefined
    } else if (open) open.push(message)
    else {
      open = [message]
      runs.push(open)
    }
  }
  return runs
}

/** Calls after the results have reached the limit are not executed. */
const notExecuted = ({ kind, id }: EvmMessage): Buffer | undefined => (kind === 'silent' ? undefined : tooLarge(id))

/** Nodes forget what they have told to this call: an answer to it that is not passed on is lost. */
const isToldOnce = ({ method }: EvmMessage): boolean => method === 'eth_getFilterChanges'

/** The failure of a run as entries, for batches with results that must not be lost. */
const failedRun = (run: readonly EvmMessage[]): Asked => {
  const calls = run.filter(({ kind }) => kind !== 'silent')
  return { kind: 'each', answers: new Map(calls.map((message) => [message, unansweredEntry(message.id)])) }
}

/** Passes on what no entry can say: that the client has left, or a mistake of this server. */
const throwOthers = (error: unknown, { signal }: EvmRequest): void => {
  if (signal.aborted || !(error instanceof FirnError)) throw error
}

/** Whatever happens to these calls: entries. */
const inEntries = (request: EvmRequest, run: readonly EvmMessage[], asked: Promise<Asked>): Promise<Asked> =>
  asked.then(
    (told) => (told.kind === 'whole' ? failedRun(run) : told),
    (error: unknown) => {
      throwOthers(error, request)
      return failedRun(run)
    },
  )

const leftAsItIs = (error: unknown): undefined => {
  if (!(error instanceof FirnError)) throw error
}

function refusal(messages: readonly EvmMessage[]): NodeAnswer | undefined {
  if (messages.length === 0) return refusedBody(errorEntry(undefined, EVM_CODES.invalidRequest, 'empty batch'))
  if (messages.length <= MAX_BATCH) return undefined
  const first = messages.find(({ kind }) => kind === 'call')
  const entry = errorEntry(first?.id, EVM_CODES.invalidRequest, 'batch too large')
  return refusedBody(Buffer.concat([Buffer.from('['), entry, Buffer.from(']')]))
}

export function createEvmBatches(deps: EvmBatchesDeps): EvmBatches {
  const { reads, kept, single, isAlone, isWrite, hostsOf } = deps
  /** The answer of such a call must reach the client, whatever happens to the rest of the batch. */
  const mustTell = (message: EvmMessage): boolean => isWrite(message.method) || isToldOnce(message)

  const askOne = async (request: EvmRequest, message: EvmMessage): Promise<Buffer | undefined> => {
    const { endpoint, contentType, signal } = request
    const deadline = Date.now() + CALL_MS
    const answer = await single({ endpoint, message, body: bytesOf(request, message), contentType, signal, deadline })
    const entry = trimmed(answer.body)
    if (message.kind === 'silent') return undefined
    if (answer.status === 200 && entry[0] === 0x7b) return entry
    return unansweredEntry(message.id, `status ${answer.status} instead of an answer`)
  }
  /** Sends the calls to one node together; one by one if the node does not answer batches. */
  const askTogether = async (
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
    if (!answers) return { kind: 'each', answers: await askEach(request, asked) }
    const late = isAgain ? undefined : witnesses.late()
    if (late && (await reads.catchesUp(request, late.block, late.hosts))) return askTogether(request, asked, body, true)
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
  /** Asks other nodes for what one node lacks: each call on its own, because no single node need have everything. */
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
      const entry = await askOne(inTime, message).catch(leftAsItIs)
      if (!entry || !resultOf(entry)) return
      answers.set(message, entry)
      room.add(entry)
    }).finally(() => clearTimeout(timer))
    return true
  }
  /** Each failure is an entry. */
  const askEachOrFail = (request: EvmRequest, asked: readonly EvmMessage[]): Promise<Answers> =>
    askEach(request, asked, (message) =>
      askOne(request, message).catch((error: unknown) => {
        throwOthers(error, request)
        return message.kind === 'silent' ? undefined : unansweredEntry(message.id)
      }),
    )
  const askEach = async (
    request: EvmRequest,
    asked: readonly EvmMessage[],
    ask = (message: EvmMessage) => askOne(request, message),
  ): Promise<Answers> => {
    const answers: Answers = new Map()
    const room = createResultRoom()
    await mapBounded(asked, AT_ONCE, async (message) => {
      // Calls start in order: whatever is answered precedes the next one.
      const entry = room.isFull() ? notExecuted(message) : await ask(message)
      if (!entry) return
      answers.set(message, entry)
      room.add(entry)
    })
    return answers
  }
  const askSome = (request: EvmRequest, asked: readonly EvmMessage[], areAll: boolean): Promise<Asked> => {
    if (shareIds(asked)) return askNumbered(request, asked)
    return askTogether(request, asked, areAll ? request.body : joinEntries(request.body, asked))
  }
  /** Calls that share an id are sent with numbers as ids: each cached answer must belong to its call. */
  const askNumbered = async (request: EvmRequest, asked: readonly EvmMessage[]): Promise<Asked> => {
    const body = numbered(request.body, asked)
    const own = splitBatch(body, 0)
    const told = await askTogether({ ...request, body }, own, body)
    if (told.kind === 'whole') return told
    const answers: Answers = new Map()
    for (const [index, message] of asked.entries()) {
      const entry = own[index] && told.answers.get(own[index])
      if (entry) answers.set(message, underOwnId(message, entry))
    }
    return { kind: 'each', answers }
  }
  const findOne = ({ endpoint }: EvmRequest, message: EvmMessage): Buffer | undefined => {
    const hit = isAlone(message) ? undefined : reads.find(endpoint, message)
    return hit && trimmed(hit.body)
  }
  const find = (request: EvmRequest, run: readonly EvmMessage[]): Answers => {
    const found: Answers = new Map()
    const room = createResultRoom()
    for (const message of run) {
      const entry = room.isFull() ? notExecuted(message) : findOne(request, message)
      if (!entry) continue
      found.set(message, entry)
      room.add(entry)
    }
    return found
  }
  const askRun = async (request: EvmRequest, run: readonly EvmMessage[], isAll: boolean): Promise<Asked> => {
    const answers = find(request, run)
    const alone = run.filter((message) => !answers.has(message) && isAlone(message))
    const together = run.filter((message) => !answers.has(message) && !isAlone(message))
    const nothing = Promise.resolve<Asked>({ kind: 'each', answers: new Map() })
    const untouched = isAll && together.length === run.length
    const mustTellEach = alone.some(isToldOnce)
    const asked = together.length === 0 ? nothing : askSome(request, together, untouched)
    const [first, others] = await Promise.all([
      mustTellEach ? inEntries(request, together, asked) : asked,
      mustTellEach ? askEachOrFail(request, alone) : askEach(request, alone),
    ])
    if (first.kind === 'whole') return first
    for (const [message, entry] of [...first.answers, ...others]) answers.set(message, entry)
    return untouched && first.whole ? { kind: 'each', answers, whole: first.whole } : { kind: 'each', answers }
  }
  return {
    answer: async (given, start) => {
      const entries = splitBatch(given.body, start)
      const refused = refusal(entries)
      if (refused) return refused
      // If calls fail beside or after such a one, the answer is sent while other calls are still under way, and the next
      // client reuses the memory.
      const isKept = entries.some(mustTell)
      const request = isKept ? { ...given, body: Buffer.from(given.body) } : given
      const messages = isKept ? splitBatch(request.body, start) : entries
      const runs = runsOf(messages, isWrite)
      const answers: Answers = new Map()
      const room = createResultRoom()
      let told = false
      for (const run of runs) {
        if (room.isFull()) {
          for (const message of run) if (message.kind !== 'silent') answers.set(message, tooLarge(message.id))
          continue
        }
        const asking = askRun(request, run, runs.length === 1)
        const asked = await (told ? inEntries(request, run, asking) : asking)
        if (asked.kind === 'whole') return asked.answer
        if (asked.whole && runs.length === 1) return asked.whole
        for (const [message, entry] of asked.answers) {
          answers.set(message, entry)
          room.add(entry)
        }
        told ||= run.some(mustTell)
      }
      const body = joinAnswers(messages, (message) => answers.get(message))
      return body.length === 0 ? silence() : { status: 200, contentType: JSON_EVM, body }
    },
  }
}
