import { BadAnswerError, failure, JsonRpcError } from '../../errors.ts'
import { recordOf } from '../../lib/json/json-record.ts'
import type { CallOptions, UpstreamPool } from '../../upstream/types.ts'
import type { Outcome, ReadContext } from '../capabilities.ts'
import type { SlotFloor } from './slot-floor.ts'

/** Voted on by two thirds of the stake, seconds before it is final: what wallets show. */
export const COMMITMENT = 'confirmed'

/** A `{context, value}` answer: the value and the slot at which it was true. */
export interface Slotted {
  slot: bigint
  value: unknown
  /** The server that answered, if known. */
  server?: object
}

export interface SlottedCall {
  method: string
  /** Parameters before the configuration object, and the object's own members. */
  params: readonly unknown[]
  config: Record<string, unknown>
  /** Throws for a value that does not have the form of an answer: then another server is asked. */
  check(value: unknown): void
  /** `CallOptions.anyLength` */
  anyLength?: boolean
}

/** Non-negative integer from JSON; a number that has lost digits is rejected. */
export const unsigned = (value: unknown, what: string): bigint => {
  const exact = typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value))
  const integer = exact ? BigInt(value) : -1n
  if (integer < 0n) throw new BadAnswerError(`${what} is not an exact integer`)
  return integer
}

const toSlotted = (answer: unknown, method: string): Slotted => {
  const { context, value } = recordOf(answer, method)
  if (value === undefined) throw new BadAnswerError(`${method} has no value`)
  return { slot: unsigned(recordOf(context, `${method} context`).slot, 'slot'), value }
}

/** One call; `minContextSlot` makes a node that lags refuse instead of sending old data. */
export const callSlotted = async (
  pool: UpstreamPool,
  { method, params, config, check, anyLength = false }: SlottedCall,
  context: CallOptions,
  minContextSlot?: bigint,
): Promise<Slotted> => {
  const least = minContextSlot === undefined ? {} : { minContextSlot: Number(minContextSlot) }
  const read = (answer: unknown): Slotted => {
    const slotted = toSlotted(answer, method)
    if (minContextSlot !== undefined && slotted.slot < minContextSlot) {
      throw new BadAnswerError(`${method} was answered at slot ${slotted.slot}, before ${minContextSlot}`)
    }
    check(slotted.value)
    return slotted
  }
  let server: object | undefined
  const answeredBy: CallOptions['answeredBy'] = (responder) => {
    server = responder.server
    context.answeredBy?.(responder)
  }
  const options = {
    ...context,
    check: (answer: unknown) => void read(answer),
    doubts: isRefusal,
    answeredBy,
    anyLength,
  }
  const slotted = read(
    await pool.rpc('', method, [...params, { commitment: COMMITMENT, ...config, ...least }], options),
  )
  return server ? { ...slotted, server } : slotted
}

/** Some servers keep no list of token accounts; the request itself is right. */
const isRefusal = (said: unknown): boolean => said instanceof JsonRpcError

const settle = (promise: Promise<Slotted>): Promise<Outcome<Slotted>> =>
  promise.then((value): Outcome<Slotted> => ({ ok: true, value }), failure)

/** Answers at most this many slots apart are of the same moment: two seconds. */
export const SAME_MOMENT = 5n

/**
 * Answers to all calls. If they came from several servers, at different moments, the answers of one of them are used
 * instead, if it can answer all: lamports from one server and tokens from another would lose or double what was swapped.
 * That is the one that stood in for another; without one, as where a call joined that of an earlier reading, the newest.
 */
const askTogether = async (
  pool: UpstreamPool,
  calls: readonly SlottedCall[],
  context: ReadContext,
): Promise<Outcome<Slotted>[]> => {
  const servers = new Map<object, boolean>()
  const answeredBy: CallOptions['answeredBy'] = ({ server, stoodIn }) =>
    void servers.set(server, stoodIn || servers.get(server) === true)
  const ask = (options: CallOptions) => Promise.all(calls.map((call) => settle(callSlotted(pool, call, options))))
  const outcomes = await ask({ ...context, answeredBy })
  const told = outcomes.flatMap((one) => (one.ok ? [one.value] : [])).sort((a, b) => (a.slot < b.slot ? -1 : 1))
  const newest = told.at(-1)
  const apart = (newest?.slot ?? 0n) - (told[0]?.slot ?? 0n)
  const sameServer = [...servers.keys()].findLast((server) => servers.get(server)) ?? newest?.server
  if (servers.size < 2 || !sameServer || apart <= SAME_MOMENT) return outcomes
  const again = await ask({ ...context, sameServer })
  return again.every(({ ok }) => ok) ? again : outcomes
}

/**
 * Calls that together show one state, all started in one turn so that the pool can batch them. An answer more than
 * `spread` slots older than the newest, of this read or of earlier ones (`floor`), is requested once more. If it stays
 * behind it is an error, so that a sum never mixes states from before and after a transfer over a longer time, nor goes
 * back to before it.
 */
export const callTogether = async (
  pool: UpstreamPool,
  calls: readonly SlottedCall[],
  context: ReadContext,
  { spread, floor }: { spread: number; floor: SlotFloor },
): Promise<Outcome<Slotted>[]> => {
  const outcomes = await askTogether(pool, calls, context)
  let newest = floor.slot()
  for (const one of outcomes) if (one.ok && one.value.slot > newest) newest = one.value.slot
  const least = newest - BigInt(spread)
  const settled = await Promise.all(
    outcomes.map((outcome, index) => {
      const call = calls[index]
      const stale = outcome.ok && outcome.value.slot < least
      return stale && call ? settle(callSlotted(pool, call, context, least)) : outcome
    }),
  )
  // The oldest slot of a complete read: one absurd slot among others is ignored.
  if (settled.every(({ ok }) => ok)) floor.saw(oldestOf(settled, newest))
  return settled
}

const oldestOf = (outcomes: readonly Outcome<Slotted>[], newest: bigint): bigint =>
  outcomes.reduce((least, outcome) => (outcome.ok && outcome.value.slot < least ? outcome.value.slot : least), newest)
