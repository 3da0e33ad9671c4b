import { JSON_EVM, type NodeAnswer } from '../../http/answer.ts'
import { EVM_CODES, errorEntry, refusedBody, silence, trimmed, unansweredEntry } from '../answers.ts'
import type { EvmCall } from '../call.ts'
import type { EvmRequest } from '../endpoint.ts'
import type { EvmMessage } from '../message.ts'
import { createAskEach, notExecuted, throwUnlessEntry } from './ask-each.ts'
import { type Asked, type AskTogetherDeps, createAskTogether } from './ask-together.ts'
import { joinAnswers } from './join-answers.ts'
import { createResultRoom, tooLarge } from './result-room.ts'
import { MAX_BATCH, splitBatch } from './split-batch.ts'
import type { Answers } from './witnesses.ts'

/** Arrays of calls: each entry is answered from the cache or by a node, and answers are in the order of the calls. */
export interface EvmBatches {
  /** `start` = where the array begins; the body has been validated. */
  answer(request: EvmRequest, start: number): Promise<NodeAnswer>
}

export interface EvmBatchesDeps extends Pick<AskTogetherDeps, 'reads' | 'kept' | 'hostsOf'> {
  /** Answers one call by itself. */
  single(call: EvmCall): Promise<NodeAnswer>
  /** True for calls that must not be sent with others: writes, filters, calls to one certain node or to all nodes. */
  isAlone(message: EvmMessage): boolean
  /** True for calls that change something: later calls are sent only after they are done. */
  isWrite(method: string): boolean
}

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

/** A node gives its answer to such a call once: if it is not passed on, it is lost. */
const isAnsweredOnce = ({ method }: EvmMessage): boolean => method === 'eth_getFilterChanges'

/** The failure of a run as entries, for batches with results that must not be lost. */
const failedRun = (run: readonly EvmMessage[]): Asked => {
  const calls = run.filter(({ kind }) => kind !== 'silent')
  return { kind: 'each', answers: new Map(calls.map((message) => [message, unansweredEntry(message.id)])) }
}

/** A failure of these calls becomes an error entry for each. */
const failureAsEntries = (request: EvmRequest, run: readonly EvmMessage[], asked: Promise<Asked>): Promise<Asked> =>
  asked.then(
    (told) => (told.kind === 'whole' ? failedRun(run) : told),
    (error: unknown) => {
      throwUnlessEntry(error, request)
      return failedRun(run)
    },
  )

function refusal(messages: readonly EvmMessage[]): NodeAnswer | undefined {
  if (messages.length === 0) return refusedBody(errorEntry(undefined, EVM_CODES.invalidRequest, 'empty batch'))
  if (messages.length <= MAX_BATCH) return undefined
  const first = messages.find(({ kind }) => kind === 'call')
  const entry = errorEntry(first?.id, EVM_CODES.invalidRequest, 'batch too large')
  return refusedBody(Buffer.concat([Buffer.from('['), entry, Buffer.from(']')]))
}

export function createEvmBatches(deps: EvmBatchesDeps): EvmBatches {
  const { reads, single, isAlone, isWrite } = deps
  const each = createAskEach(single)
  const askTogether = createAskTogether({ ...deps, each })
  /** The answer of such a call must reach the client, whatever happens to the rest of the batch. */
  const mustReach = (message: EvmMessage): boolean => isWrite(message.method) || isAnsweredOnce(message)

  const findKept = ({ endpoint }: EvmRequest, message: EvmMessage): Buffer | undefined => {
    const hit = isAlone(message) ? undefined : reads.find(endpoint, message)
    return hit && trimmed(hit.body)
  }
  const findAllKept = (request: EvmRequest, run: readonly EvmMessage[]): Answers => {
    const found: Answers = new Map()
    const room = createResultRoom()
    for (const message of run) {
      const entry = room.isFull() ? notExecuted(message) : findKept(request, message)
      if (!entry) continue
      found.set(message, entry)
      room.add(entry)
    }
    return found
  }
  /** Answers calls from memory, together or one by one, as each of them has to be. */
  const askRun = async (request: EvmRequest, run: readonly EvmMessage[], isAll: boolean): Promise<Asked> => {
    const answers = findAllKept(request, run)
    const alone = run.filter((message) => !answers.has(message) && isAlone(message))
    const together = run.filter((message) => !answers.has(message) && !isAlone(message))
    const nothing = Promise.resolve<Asked>({ kind: 'each', answers: new Map() })
    const untouched = isAll && together.length === run.length
    const keepEach = alone.some(isAnsweredOnce)
    const asked = together.length === 0 ? nothing : askTogether(request, together, untouched)
    const [first, others] = await Promise.all([
      keepEach ? failureAsEntries(request, together, asked) : asked,
      keepEach ? each.allOrErrors(request, alone) : each.all(request, alone),
    ])
    if (first.kind === 'whole') return first
    if (others.refusal && alone.length === run.length) return { kind: 'whole', answer: others.refusal }
    for (const [message, entry] of [...first.answers, ...others.answers]) answers.set(message, entry)
    return untouched && first.whole ? { kind: 'each', answers, whole: first.whole } : { kind: 'each', answers }
  }
  return {
    answer: async (given, start) => {
      const entries = splitBatch(given.body, start)
      const refused = refusal(entries)
      if (refused) return refused
      // If calls fail beside or after such a one, the answer is sent while other calls are still under way, and the next
      // client reuses the memory of the body.
      const isKept = entries.some(mustReach)
      const request = isKept ? { ...given, body: Buffer.from(given.body) } : given
      const messages = isKept ? splitBatch(request.body, start) : entries
      const runs = runsOf(messages, isWrite)
      const answers: Answers = new Map()
      const room = createResultRoom()
      let isOneDone = false
      for (const run of runs) {
        if (room.isFull()) {
          for (const message of run) if (message.kind !== 'silent') answers.set(message, tooLarge(message.id))
          continue
        }
        const asking = askRun(request, run, runs.length === 1)
        const asked = await (isOneDone ? failureAsEntries(request, run, asking) : asking)
        if (asked.kind === 'whole') return asked.answer
        if (asked.whole && runs.length === 1) return asked.whole
        for (const [message, entry] of asked.answers) {
          answers.set(message, entry)
          room.add(entry)
        }
        isOneDone ||= run.some(mustReach)
      }
      const body = joinAnswers(messages, (message) => answers.get(message))
      return body.length === 0 ? silence() : { status: 200, contentType: JSON_EVM, body }
    },
  }
}
