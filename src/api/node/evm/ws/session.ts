import { CancelledError } from '../../../../errors.ts'
import { JSON_EVM } from '../../http/answer.ts'
import { GoJsonError } from '../../json/go-json-error.ts'
import { hasManyMembers } from '../../json/many-members.ts'
import { skipSpace, validateValue } from '../../json/validate.ts'
import type { Endpoint } from '../../routes/endpoint.ts'
import { EVM_CODES, errorEntry, resultEntry, trimmed, unansweredEntry } from '../answers.ts'
import { joinAnswers } from '../batch/join-answers.ts'
import { createResultRoom, tooLarge } from '../batch/result-room.ts'
import { MAX_BATCH, splitBatch } from '../batch/split-batch.ts'
import type { EvmApi } from '../endpoint.ts'
import { type EvmMessage, readMessage } from '../message.ts'
import { parameterAt } from '../read/finality.ts'
import { type ClientConnection, createClientSocket, type SharedRooms } from './client-socket.ts'
import { createEarlyPushes } from './early-pushes.ts'
import { createFeed, type FeedDeps } from './feed.ts'
import type { SocketLimits } from './limits.ts'
import { createSubscriptionBudget } from './subscription-budget.ts'
import { subscriptionIdOf } from './subscriptions/subscription.ts'
import { unsubscribeProblem } from './unsubscribe-problem.ts'

/** One client's WebSocket: calls are answered as over HTTP, its subscriptions are held at a node. */
export interface Session {
  close(code: number, reason: string): void
}

export interface SessionDeps extends SharedRooms {
  connection: ClientConnection
  /** The chain's `rpc` endpoint. */
  endpoint: Endpoint
  answer: EvmApi['answer']
  connect: FeedDeps['connect']
  onHead: FeedDeps['onHead']
  peers: FeedDeps['peers']
  onClosed(): void
  limits: SocketLimits
}

const PARSE_ERROR = -32700
const INVALID_PARAMS = -32602
const NEWLINE = Buffer.from('\n')
const LIST = 0x5b
/** With any prefix: the node decides which services and subscriptions exist. */
const SUBSCRIBE = /_subscribe$/
const UNSUBSCRIBE = /_unsubscribe$/
/** RFC 6455: ended normally; the server has to close; rule violated; too big; try again later. */
export const CLOSE = { normal: 1000, goingAway: 1001, policy: 1008, tooBig: 1009, tryAgain: 1013 } as const

const isSubscribing = ({ kind, method }: EvmMessage): boolean => kind === 'call' && SUBSCRIBE.test(method)

const isFeedCall = (message: EvmMessage): boolean =>
  isSubscribing(message) || (message.kind === 'call' && UNSUBSCRIBE.test(message.method))

/** The error of Go's decoder for a message that is not JSON; undefined = it is. */
function complaintOf(message: Buffer, start: number): string | undefined {
  try {
    validateValue(message, start)
    return undefined
  } catch (error) {
    if (error instanceof GoJsonError) return error.message
    throw error
  }
}

/** Every message ends with a newline, even those that have none over HTTP. */
const withNewline = (answer: Buffer): Buffer => (answer.at(-1) === 0x0a ? answer : Buffer.concat([answer, NEWLINE]))

export function createSession(deps: SessionDeps): Session {
  const { endpoint, limits } = deps
  /** One per message: calls with the same signal would count as one long read, which yields to others. */
  const asking = new Set<AbortController>()
  let hasLeft = false
  /** Subscriptions that no node has accepted yet, and the bytes of their parameters. */
  let beginning = 0
  let beginningBytes = 0
  const mayBegin = createSubscriptionBudget(limits.maxSubscriptions, limits.subscriptionsPerSecond)
  const early = createEarlyPushes((message) => client.send(message), limits.highWaterBytes, deps.room.enter())
  const feed = createFeed({
    connect: deps.connect,
    send: early.push,
    onHead: deps.onHead,
    peers: deps.peers,
    onBroken: (reason) => client.close(CLOSE.tryAgain, reason.slice(0, 120)),
    share: deps.room.enter(),
    ...limits,
  })

  /** Over HTTP a status says that no node answered; here only an error can. */
  const askNodes = async (body: Buffer, messages: readonly EvmMessage[], isBatch: boolean): Promise<Buffer> => {
    if (hasLeft) return Buffer.alloc(0)
    const own = new AbortController()
    asking.add(own)
    try {
      const request = { endpoint, body, contentType: JSON_EVM, signal: own.signal }
      const answer = await deps.answer(request)
      if (answer.status === 200) return answer.body
    } catch (error) {
      if (error instanceof CancelledError) return Buffer.alloc(0)
    } finally {
      asking.delete(own)
    }
    const errors = messages
      .filter(({ kind }) => kind !== 'silent')
      .map(({ id }) => unansweredEntry(id).toString('latin1'))
    const text = isBatch ? `[${errors.join(',')}]` : (errors[0] ?? '')
    return text === '' || text === '[]' ? Buffer.alloc(0) : Buffer.from(`${text}\n`, 'latin1')
  }
  const unsubscribe = ({ id, params }: EvmMessage): Buffer => {
    const problem = unsubscribeProblem(params)
    if (problem !== undefined) return errorEntry(id, INVALID_PARAMS, problem)
    const named = parameterAt(params, 0)
    const text = named?.[0] === 0x22 ? named.toString('latin1', 1, named.length - 1) : undefined
    if (text !== undefined && feed.unsubscribe(text)) return resultEntry(id, 'true')
    return errorEntry(id, EVM_CODES.server, 'subscription not found')
  }
  /** `reply` is called before the first notification of a new subscription is sent. */
  const callFeed = (message: EvmMessage, reply: (entry: Buffer) => void): void => {
    const { method, params, id = NEWLINE } = message
    const bytes = params?.length ?? 0
    if (UNSUBSCRIBE.test(method)) reply(unsubscribe(message))
    else if (feed.size + beginning >= limits.maxSubscriptions)
      reply(errorEntry(id, EVM_CODES.server, `too many subscriptions, at most ${limits.maxSubscriptions}`))
    else if (feed.bytes() + beginningBytes + bytes > limits.maxSubscriptionBytes)
      reply(errorEntry(id, EVM_CODES.server, `subscriptions too large, at most ${limits.maxSubscriptionBytes} bytes`))
    else if (!mayBegin())
      reply(
        errorEntry(id, EVM_CODES.server, `too many subscriptions, at most ${limits.subscriptionsPerSecond} a second`),
      )
    else {
      beginning += 1
      beginningBytes += bytes
      feed.subscribe(method, params, id, (entry) => {
        beginning -= 1
        beginningBytes -= bytes
        reply(entry ? trimmed(entry) : unansweredEntry(id))
      })
    }
  }
  /** @param begun gets the id of a subscription that began */
  const answerAlone = async (body: Buffer, message: EvmMessage, begun: string[]): Promise<Buffer> => {
    if (isFeedCall(message))
      return new Promise<Buffer>((resolve) =>
        callFeed(message, (entry) => {
          const id = isSubscribing(message) ? subscriptionIdOf(entry) : undefined
          if (id !== undefined) {
            early.hold(id)
            begun.push(id)
          }
          resolve(entry)
        }),
      )
    // Sent on its own, a list would be a batch that bypasses the limits of batches.
    if (body[message.span.from] === LIST) return errorEntry(undefined, EVM_CODES.invalidRequest, 'invalid request')
    return trimmed(await askNodes(body.subarray(message.span.from, message.span.to), [message], false))
  }
  /** A batch that contains subscriptions: answered entry by entry, as a node does. */
  const answerMixed = async (body: Buffer, messages: readonly EvmMessage[], begun: string[]): Promise<Buffer> => {
    const answers = new Map<EvmMessage, Buffer>()
    const room = createResultRoom()
    for (const message of messages) {
      if (hasLeft) return Buffer.alloc(0)
      const isAsked = !room.isFull()
      if (!isAsked && message.kind === 'silent') continue
      const entry = isAsked ? await answerAlone(body, message, begun) : tooLarge(message.id)
      if (entry.length === 0) continue
      answers.set(message, entry)
      room.add(entry)
    }
    return joinAnswers(messages, (message) => answers.get(message))
  }
  const answerTo = async (body: Buffer, messages: readonly EvmMessage[], isBatch: boolean): Promise<void> => {
    const isMixed = isBatch && messages.length <= MAX_BATCH && messages.some(isFeedCall)
    const begun: string[] = []
    const answer = await (isMixed ? answerMixed(body, messages, begun) : askNodes(body, messages, isBatch))
    if (answer.length > 0) client.send(withNewline(answer))
    early.release(begun)
  }

  const onMessage = (body: Buffer): void => {
    const start = skipSpace(body, 0)
    if (start >= body.length) return
    if (hasManyMembers(body)) {
      client.close(CLOSE.tooBig, '')
      return
    }
    const complaint = complaintOf(body, start)
    if (complaint !== undefined) {
      // A node ends the connection, too, because what follows cannot be interpreted. A truncated value gets no error.
      if (!complaint.endsWith('EOF')) client.send(withNewline(errorEntry(undefined, PARSE_ERROR, complaint)))
      client.close(CLOSE.normal, '')
      return
    }
    const isBatch = body[start] === LIST
    const messages = isBatch ? splitBatch(body, start) : [readMessage(body, { from: start, to: body.length })]
    const [only] = messages
    client.hold(body.length)
    if (!isBatch && only && isFeedCall(only)) {
      callFeed(only, (entry) => {
        client.send(withNewline(entry))
        client.release(body.length)
      })
      return
    }
    void answerTo(body, messages, isBatch).finally(() => client.release(body.length))
  }
  const client = createClientSocket(deps.connection, limits, deps, {
    onMessage,
    onFull: () => feed.pause(),
    onDrained: () => feed.resume(),
    onClosed: () => {
      hasLeft = true
      for (const own of asking) own.abort()
      feed.close()
      deps.onClosed()
    },
  })
  return { close: client.close }
}
