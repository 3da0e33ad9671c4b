import { inChunks } from '../../lib/in-chunks.ts'
import type { Attempt } from '../http/attempt.ts'
import type { WireRequest } from '../http/wire.ts'
import type { Cancel, CancelCause, Outcome, Settle } from '../outcome.ts'
import type { Upstream } from '../upstream.ts'
import { type BatchReading, isTooBigInBatch, readBatch } from './batch-answer.ts'
import type { BatchLimit } from './batch-limit.ts'
import { type RpcEntry, readSingle, writeEntry } from './rpc-message.ts'

/** An entry on its way. `left`: nobody waits for it. `onLeave` tells the request that carries it, if there is one. */
interface Passenger {
  entry: RpcEntry
  bytes: number
  hedge: boolean
  settle: Settle<unknown>
  traceparent: string | undefined
  parent: string | undefined
  partOf: object | undefined
  onSent: (() => void) | undefined
  anyLength: boolean | undefined
  left: boolean
  settled: boolean
  onLeave: Cancel | undefined
}

/**
 * Collects JSON-RPC calls to one (upstream, path) into as few requests as allowed: calls of the same microtask while
 * the upstream is idle, calls of the same turn of the event loop while it is busy.
 */
export interface Batcher {
  add(entry: RpcEntry, options: PassengerOptions, settle: Settle<unknown>): Cancel
}

interface PassengerOptions {
  hedge: boolean
  traceparent?: string | undefined
  /** Span that `traceparent` is a child of; see `AttemptPlan`. */
  parent?: string | undefined
  /** The reading that the call is part of; a batch counts as part of its first call's. */
  partOf?: object | undefined
  onSent?: (() => void) | undefined
  /** `CallOptions.anyLength` */
  anyLength?: boolean | undefined
}

export interface BatcherDeps {
  upstream: Upstream
  path: string
  attempt: Attempt
  limit: BatchLimit
}

/** Bytes for the frame of an entry: jsonrpc, id, commas. */
const ENTRY_FRAME = 48

export const jsonRequest = (
  upstream: Upstream,
  path: string,
  body: string,
  traceparent: string | undefined,
): WireRequest => ({
  method: 'POST',
  path: upstream.path(path),
  headers: traceparent === undefined ? upstream.jsonHeaders : { ...upstream.jsonHeaders, traceparent },
  body,
  decode: true,
})

export const createBatcher = ({ upstream, path, attempt, limit }: BatcherDeps): Batcher => {
  let collecting: Passenger[] = []

  const settleOne = (passenger: Passenger, outcome: Outcome<unknown>): void => {
    if (passenger.left || passenger.settled) return
    passenger.settled = true
    passenger.settle(outcome)
  }

  const sendSingle = (passenger: Passenger): void => {
    const request = jsonRequest(upstream, path, writeEntry(passenger.entry, 1), passenger.traceparent)
    const { hedge, parent, partOf, onSent, anyLength } = passenger
    const length = { anyLength, keepsRoom: true }
    const plan = { request, read: readSingle, calls: 1, hedge, parent, partOf, onSent, ...length }
    const cancel = attempt(upstream, plan, (outcome) => settleOne(passenger, outcome))
    passenger.onLeave = cancel
  }

  const sendAll = (passengers: Passenger[]): void => {
    const aboard = passengers.filter(({ left }) => !left)
    const [first] = aboard
    if (!first) return
    if (aboard.length === 1) sendSingle(first)
    else sendBatch(aboard, first)
  }

  const sendParts = (passengers: Passenger[], size: number): void => {
    for (const some of inChunks(passengers, size)) sendAll(some)
  }
  const sendHalves = (passengers: Passenger[]): void => sendParts(passengers, (passengers.length + 1) >> 1)

  const land = (passengers: Passenger[], outcome: Outcome<BatchReading>): void => {
    const now = Date.now()
    if (outcome.kind !== 'answer') {
      // The sum was too large, not necessarily each part.
      if (outcome.kind === 'failure' && outcome.failure.kind === 'too-large') sendHalves(passengers)
      else for (const passenger of passengers) settleOne(passenger, outcome as Outcome<unknown>)
      return
    }
    const reading = outcome.value
    if (reading.kind === 'refused') {
      limit.refused(now)
      for (const passenger of passengers) sendAll([passenger])
    } else if (reading.kind === 'too-many') {
      const half = (passengers.length + 1) >> 1
      const most = Math.min(reading.most ?? half, half)
      limit.tooMany(most, now)
      sendParts(passengers, most)
    } else landEntries(passengers, reading.outcomes)
  }

  const landEntries = (passengers: Passenger[], outcomes: Outcome<unknown>[]): void => {
    const again: Passenger[] = []
    passengers.forEach((passenger, index) => {
      const outcome = outcomes[index]
      if (!outcome) return
      if (isTooBigInBatch(outcome)) {
        again.push(passenger)
        return
      }
      if (outcome.kind === 'failure' && outcome.failure.kind === 'rate-limited')
        upstream.pause(outcome.failure.retryAfterMs)
      settleOne(passenger, outcome)
    })
    // If others came through, not all can have been too large together: the rest goes as a smaller batch.
    if (again.length === passengers.length) sendHalves(again)
    else sendAll(again)
  }

  const sendBatch = (passengers: Passenger[], first: Passenger): void => {
    const body = `[${passengers.map(({ entry }, index) => writeEntry(entry, index + 1)).join(',')}]`
    const request = jsonRequest(upstream, path, body, first.traceparent)
    const calls = passengers.length
    const read = (host: string, answer: Parameters<typeof readBatch>[1]) => readBatch(host, answer, calls)
    let aboard = calls
    const onSent = (): void => {
      for (const passenger of passengers) passenger.onSent?.()
    }
    // How many calls go together is decided here, so an answer that is too long is not its fault.
    const length = { anyLength: true, keepsRoom: true }
    const { hedge, parent, partOf } = first
    const plan = { request, read, calls, hedge, parent, partOf, onSent, ...length }
    const cancel = attempt(upstream, plan, (outcome) => land(passengers, outcome))
    const onLeave = (cause: CancelCause): void => {
      aboard -= 1
      if (aboard === 0) cancel(cause)
    }
    for (const passenger of passengers) passenger.onLeave = onLeave
  }

  const flush = (): void => {
    const waiting = collecting
    collecting = []
    const most = limit.items(Date.now())
    const mostBytes = upstream.limits.batchBytes
    let group: Passenger[] = []
    let bytes = 0
    for (const passenger of waiting) {
      if (passenger.left) continue
      if (group.length >= most || (group.length > 0 && bytes + passenger.bytes > mostBytes)) {
        sendAll(group)
        group = []
        bytes = 0
      }
      group.push(passenger)
      bytes += passenger.bytes
    }
    sendAll(group)
  }

  return {
    add: (entry, options, settle) => {
      const passenger: Passenger = {
        entry,
        bytes: ENTRY_FRAME + entry.method.length + (entry.params?.length ?? 0),
        hedge: options.hedge,
        settle,
        traceparent: options.traceparent,
        parent: options.parent,
        partOf: options.partOf,
        onSent: options.onSent,
        anyLength: options.anyLength,
        left: false,
        settled: false,
        onLeave: undefined,
      }
      collecting.push(passenger)
      if (collecting.length === 1) {
        // An idle upstream gets the calls of this moment at once, because writes to other upstreams would go out first
        // otherwise. While requests are in flight, waiting for a turn of the event loop gathers more calls.
        if (upstream.gate.active() === 0) queueMicrotask(flush)
        else setImmediate(flush)
      }
      return (cause) => {
        if (passenger.left || passenger.settled) return
        passenger.left = true
        if (passenger.onLeave) passenger.onLeave(cause)
        // It was never sent, so as a probe it told nothing.
        else upstream.breaker.inconclusive()
      }
    },
  }
}
