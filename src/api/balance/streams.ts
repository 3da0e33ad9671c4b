import { setMaxListeners } from 'node:events'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { CancelledError } from '../../errors.ts'
import { clientSource } from '../../lib/http/client-source.ts'
import { TransientMap } from '../../lib/transient-map.ts'
import { nextTurn } from '../../lib/waiting/next-turn.ts'
import type { BalanceService, KnownBalances } from '../../services/balances/index.ts'
import type { BalanceItem, BalanceQuery, ChainQuery } from '../../services/balances/types.ts'
import { UNKNOWN_PREFIX } from './by-prefixes.ts'
import { refuseForNow, refusePayload } from './errors.ts'
import { createEventStream, frame } from './event-stream.ts'
import { NO_OBJECT } from './issues.ts'
import type { Asked, Questions } from './questions.ts'

interface StreamsOptions {
  balances: BalanceService
  present: (item: BalanceItem) => string
  questions: Questions
  isFull?: (toCome: number) => boolean
  limits: { keepAliveMs: number; stalledReaderMs: number; maxStreams: number }
}

/**
 * Events of a large answer are written in slices of this many characters, so that they wait for the reader as items,
 * not as text.
 */
const SLICE = 64 * 1024

/** Larger answers (characters) are sent as the reader takes them: a copy for every slow reader would be too much. */
const AT_ONCE = 256 * 1024

/** Approximate memory of a chain read while it waits for an answer, and of each of its accounts. */
const READ_BYTES = 27_000
const ACCOUNT_BYTES = 1_000

const bytesOfReads = (chains: readonly ChainQuery[]): number =>
  chains.reduce((sum, { accounts }) => sum + READ_BYTES + accounts.length * ACCOUNT_BYTES, 0)

const NO_BODY: Asked = { ok: false, issues: [NO_OBJECT] }

const withHeaders = (reply: FastifyReply): FastifyReply =>
  reply
    .header('content-type', 'text/event-stream; charset=utf-8')
    .header('cache-control', 'no-cache, no-transform')
    .header('x-accel-buffering', 'no')

/**
 * Undici, and so Node's `fetch`, takes the end of a connection for the end of an answer that says `Connection: close`, cut
 * or not. A stream does not say so therefore, not even while the server drains: the connection ends all the same, and
 * `timeout=0` tells clients that keep connections not to use this one again. HTTP/1.0 has no other way.
 */
function endConnectionUnsaid({ raw }: FastifyReply): void {
  if (raw.shouldKeepAlive || raw.req.httpVersionMinor === 0) return
  raw.removeHeader('connection')
  raw.setHeader('keep-alive', 'timeout=0')
}

/** Turns checked bodies into event streams and tracks open ones, so that a shutdown can wait for them or cut them. */
export function createStreams(options: StreamsOptions) {
  const { balances, present, questions, isFull, limits } = options
  const open = new TransientMap<AbortController, () => void>()
  /** Bytes that streams will take for reads that have not all started. */
  let toCome = 0
  let overdue = false
  let whenEmpty: (() => void) | undefined

  /** `questions` has already turned the body into a question. */
  function answer(request: FastifyRequest, reply: FastifyReply): void {
    if (overdue) return void refuseForNow(reply)
    // Without a body and a content type, no parser ran.
    const asked: Asked = (request.body as Asked | undefined) ?? NO_BODY
    if (!asked.ok) {
      if (asked.isEarly) return void refuseForNow(reply, UNKNOWN_PREFIX)
      return void refusePayload(request, reply, asked.issues)
    }

    const { answer: last, query } = asked.question
    if (last && balances.isFresh(last.freshness)) return void sendAtOnce(reply, last.bytes)
    const { items, missing, freshness } = balances.known(query)
    // Everything is cached: one write, no stream to track.
    const events = missing.length === 0 ? eventsAtOnce(items) : undefined
    if (events) return void sendAtOnce(reply, questions.bytesOf(asked.question, events, freshness))
    // Cached items take no room; only pending reads do.
    if (open.size >= limits.maxStreams || isFull?.(toCome)) return void refuseForNow(reply)
    openStream(request, reply, query, { items, missing })
  }

  function sendAtOnce(reply: FastifyReply, bytes: Buffer): void {
    // What the system accepts at once needs no timer; the rest is buffered for the reader.
    if (bytes.length > SLICE) cutWhenStalled(reply, limits.stalledReaderMs)
    withHeaders(reply).send(bytes)
  }

  /** Cached items go out with the headers; the rest follows as it arrives. */
  function openStream(
    request: FastifyRequest,
    reply: FastifyReply,
    query: BalanceQuery,
    { items, missing }: Pick<KnownBalances, 'items' | 'missing'>,
  ): void {
    const controller = new AbortController()
    // Every read of the request listens to this one signal, and there may be one read per account.
    setMaxListeners(0, controller.signal)
    const result = balances.read({ ...query, chains: missing, client: clientSource(request.ip) }, controller.signal)
    expect(bytesOfReads(missing), result.later)
    const stream = createEventStream({
      ...limits,
      onSilence: () => reply.raw.flushHeaders(),
      onEnd: (how) => end(controller, how, request),
    })
    open.set(controller, () => stream.readable.destroy())
    const known = write(stream, items, request)
    void Promise.all([known, writeAll(stream, result, request)]).then(stream.end)
    // A client that waits for a chain waits for its call: that is sent first, the headers while it is under way.
    const send = (): void => {
      // Comments come after silence, and nothing is wrong before.
      cutWhenStalled(reply, limits.stalledReaderMs + limits.keepAliveMs)
      endConnectionUnsaid(reply)
      withHeaders(reply).send(stream.readable)
    }
    if (items.length > 0) send()
    else void nextTurn().then(send)
  }

  /** Streams that arrive at the same moment take nearly all their memory later, when they can no longer be refused. */
  function expect(bytes: number, begun: Promise<unknown>): void {
    toCome += bytes
    const isHere = (): void => {
      toCome -= bytes
    }
    begun.then(isHere, isHere)
  }

  /** The events of all items if they are few enough for one write. */
  function eventsAtOnce(items: readonly BalanceItem[]): string[] | undefined {
    const events: string[] = []
    let length = 0
    for (const item of items) {
      const event = present(item)
      length += event.length
      if (length > AT_ONCE) return undefined
      events.push(event)
    }
    return events
  }

  /**
   * A reader whose socket takes nothing more is cut even after the last item was queued: after twice as long at most,
   * since the first look of a socket at what waits counts as a change of it.
   */
  function cutWhenStalled(reply: FastifyReply, ms: number): void {
    reply.raw.setTimeout(ms, () => reply.raw.destroy())
  }

  async function writeAll(
    stream: ReturnType<typeof createEventStream>,
    { pending, later }: ReturnType<BalanceService['read']>,
    request: FastifyRequest,
  ): Promise<void> {
    const writers = pending.map((items) => write(stream, items, request))
    const more = await later.catch((error: unknown) => [Promise.reject(error)])
    for (const items of more) writers.push(write(stream, items, request))
    await Promise.all(writers)
  }

  /** Never rejects: once the headers are sent, a failure is an item of the stream. Cached items are written at once. */
  async function write(
    stream: ReturnType<typeof createEventStream>,
    pending: readonly BalanceItem[] | Promise<readonly BalanceItem[]>,
    request: FastifyRequest,
  ): Promise<void> {
    try {
      const items = pending instanceof Promise ? await pending : pending
      let slice = ''
      for (const item of items) {
        if (slice.length >= SLICE) {
          stream.write(slice)
          slice = ''
          if (!(await stream.ready())) return
        }
        slice += present(item)
      }
      if (slice !== '') stream.write(slice)
    } catch (error) {
      if (error instanceof CancelledError) return
      request.log.error({ err: error }, 'a balance read failed unexpectedly')
      stream.write(frame(JSON.stringify({ error: 'INTERNAL_ERROR' })))
    }
  }

  function end(controller: AbortController, how: string, request: FastifyRequest): void {
    if (how !== 'finished') request.log.debug({ how }, 'balance stream cut')
    open.delete(controller)
    // After a complete answer there is nothing to abort, and an error with its stack trace would add noticeable cost.
    if (how !== 'finished') controller.abort(new CancelledError())
    if (open.size === 0) whenEmpty?.()
  }

  return {
    answer,
    size: () => open.size,
    /** Open streams may finish for `graceMs`, then they are cut. Requests that arrive meanwhile are treated alike. */
    async close(graceMs: number): Promise<void> {
      if (open.size === 0) return
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, graceMs)
        whenEmpty = () => {
          clearTimeout(timer)
          resolve()
        }
      })
      overdue = open.size > 0
      for (const cut of [...open.values()]) cut()
    },
  }
}
