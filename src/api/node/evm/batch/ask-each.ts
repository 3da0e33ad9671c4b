import { FirnError } from '../../../../errors.ts'
import { mapBounded } from '../../../../lib/waiting/map-bounded.ts'
import type { NodeAnswer } from '../../http/answer.ts'
import { trimmed, unansweredEntry } from '../answers.ts'
import { CALL_MS, type EvmCall } from '../call.ts'
import type { EvmRequest } from '../endpoint.ts'
import type { EvmMessage } from '../message.ts'
import { createResultRoom, tooLarge } from './result-room.ts'
import type { Answers } from './witnesses.ts'

/** `refusal`: what every one of the calls was refused with, no node runs the chain; it says more than any entry could. */
export interface EachAnswers {
  answers: Answers
  refusal?: NodeAnswer
}

/** Calls of a batch that are sent one by one. */
export interface AskEach {
  /** The entry that answers a call; undefined = a notification, which has none. Rejects when no node answers. */
  one(request: EvmRequest, message: EvmMessage): Promise<Buffer | undefined>
  /** Rejects with the first failure. */
  all(request: EvmRequest, asked: readonly EvmMessage[]): Promise<EachAnswers>
  /** As `all`, with an error entry for each call that fails. */
  allOrErrors(request: EvmRequest, asked: readonly EvmMessage[]): Promise<EachAnswers>
}

/** Calls of one batch that are under way at the same time. */
export const AT_ONCE = 8

/** A copy: the rest of a small body may still be sent after the node has answered. */
const bytesOf = ({ body }: EvmRequest, { span }: EvmMessage): Buffer => Buffer.from(body.subarray(span.from, span.to))

/** The entry of a call that is not executed, because the results before it have reached the limit. */
export const notExecuted = ({ kind, id }: EvmMessage): Buffer | undefined =>
  kind === 'silent' ? undefined : tooLarge(id)

/** Throws what no entry can say: that the client has left, or a mistake of this server. */
export const throwUnlessEntry = (error: unknown, { signal }: EvmRequest): void => {
  if (signal.aborted || !(error instanceof FirnError)) throw error
}

/** @param single answers one call by itself */
export function createAskEach(single: (call: EvmCall) => Promise<NodeAnswer>): AskEach {
  const answerTo = async (request: EvmRequest, message: EvmMessage): Promise<NodeAnswer> => {
    const { endpoint, contentType, signal } = request
    const deadline = Date.now() + CALL_MS
    return single({ endpoint, message, body: bytesOf(request, message), contentType, signal, deadline })
  }
  const entryOf = (message: EvmMessage, answer: NodeAnswer): Buffer | undefined => {
    const entry = trimmed(answer.body)
    if (message.kind === 'silent') return undefined
    if (answer.status === 200 && entry[0] === 0x7b) return entry
    return unansweredEntry(message.id, `status ${answer.status} instead of an answer`)
  }
  const one: AskEach['one'] = async (request, message) => entryOf(message, await answerTo(request, message))
  /** @param ask undefined = the call failed */
  const askAll = async (
    asked: readonly EvmMessage[],
    ask: (message: EvmMessage) => Promise<NodeAnswer | undefined>,
  ): Promise<EachAnswers> => {
    const answers: Answers = new Map()
    const room = createResultRoom()
    const refusals: NodeAnswer[] = []
    const entryFor = async (message: EvmMessage): Promise<Buffer | undefined> => {
      const answer = await ask(message)
      if (!answer) return message.kind === 'silent' ? undefined : unansweredEntry(message.id)
      if (answer.status !== 200) refusals.push(answer)
      return entryOf(message, answer)
    }
    await mapBounded(asked, AT_ONCE, async (message) => {
      // Calls start in order: whatever is answered precedes the next one.
      const entry = room.isFull() ? notExecuted(message) : await entryFor(message)
      if (!entry) return
      answers.set(message, entry)
      room.add(entry)
    })
    const [refusal] = refusals
    return refusal && refusals.length === asked.length ? { answers, refusal } : { answers }
  }
  return {
    one,
    all: (request, asked) => askAll(asked, (message) => answerTo(request, message)),
    allOrErrors: (request, asked) =>
      askAll(asked, (message) =>
        answerTo(request, message).catch((error: unknown) => {
          throwUnlessEntry(error, request)
          return undefined
        }),
      ),
  }
}
