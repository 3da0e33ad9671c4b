import { steadyNow } from '../../lib/steady-clock.ts'
import { TransientMap } from '../../lib/transient-map.ts'

/** A call that waits its turn. Tickets with the same object are parts of one reading, useless without one another. */
export interface Waiting {
  readonly partOf?: object | undefined
  /** A small, rare call on which the routing of others, or the value of their answers, depends: it comes first. */
  readonly urgent?: boolean | undefined
}

/** The calls waiting at one upstream, in order. Each operation takes the same time however many wait. */
export interface GateQueue<T extends Waiting> {
  add(ticket: T): void
  /** The ticket was sent without waiting: its reading has begun. */
  passed(ticket: T): void
  /** Removes and returns the next ticket. */
  take(): T | undefined
  /** False = the ticket is not waiting any more. */
  remove(ticket: T): boolean
  /** If the newest go first, removes the oldest ticket: it is the least likely to be answered in time. */
  giveUp(): T | undefined
  /** Removes all tickets, in order of arrival. */
  empty(): T[]
  size(): number
}

interface Group<T> {
  tickets: Set<T>
  since: number
  /** Its place in order of arrival. */
  place: number
}

interface Reading<T> {
  /** The tickets of this reading that wait. */
  group: Group<T>
  /** When its first ticket was sent. */
  startedAt: number | undefined
  sent: number
}

/** A wait this long, milliseconds, means that the upstream is asked for more than it can answer. */
const LONG_WAIT_MS = 1_000
/** Then one ticket of this many is the oldest, and one is part of a long reading: no crowd stops an index for good. */
const OLDEST_EVERY = 8
/** A reading that goes on longer is not one that a client waits for, milliseconds. */
const READING_MS = 10_000
/** Precedence for more calls than this would keep all others waiting: an owner may name a thousand addresses. */
const READING_CALLS = 32

const isLong = ({ sent, startedAt }: Reading<unknown>, at: number): boolean =>
  sent >= READING_CALLS || (startedAt !== undefined && at - startedAt > READING_MS)

/**
 * First come, first served, except that parts of a reading that has begun come before what would begin another: half of
 * two readings is an answer to nobody. Once a reading turns out to be long, each of its calls is queued on its own: an
 * index reads on and on, and asks for more as soon as it is answered.
 *
 * A long wait means that more is asked than the upstream can answer. In order of arrival each call would be sent
 * shortly before its caller gives up, and nobody would be answered in time. So the newest go first then, and as many
 * callers are answered as the upstream can serve. The others are answered when it is quieter, or run into their
 * deadlines.
 */
export const createGateQueue = <T extends Waiting>(now: () => number = steadyNow): GateQueue<T> => {
  const groups = new TransientMap<T, Group<T>>()
  /** In order of arrival. Groups are dropped when they become empty. */
  const fresh = new Set<Group<T>>()
  const begun = new Set<Group<T>>()
  /** Calls of long readings, in order of arrival, each in a group of its own. */
  const patient = new Set<Group<T>>()
  /** The groups of `fresh`, each once, newest last; also some that are no longer fresh. */
  const stack: Group<T>[] = []
  const readings = new WeakMap<object, Reading<T>>()
  let turn = 0
  let places = 0

  const groupOf = ({ partOf, urgent }: T, at: number): Group<T> => {
    const known = partOf && readings.get(partOf)
    const isOne = known && !isLong(known, at)
    if (isOne && known.group.tickets.size > 0) return known.group
    const group = makeGroup(at)
    if (isOne) known.group = group
    else if (partOf && !known) readings.set(partOf, { group, startedAt: undefined, sent: 0 })
    if (urgent || (isOne && known.startedAt !== undefined)) begun.add(group)
    else if (known && !isOne) patient.add(group)
    else enlist(group)
    return group
  }
  const makeGroup = (since: number): Group<T> => ({ tickets: new Set(), since, place: places++ })
  const enlist = (group: Group<T>): void => {
    if (stack.length > 2 * fresh.size + 16) {
      const waiting = stack.filter((one) => fresh.has(one))
      stack.splice(0, stack.length, ...waiting)
    }
    fresh.add(group)
    stack.push(group)
  }
  const drop = (ticket: T): boolean => {
    const group = groups.get(ticket)
    if (!group) return false
    groups.delete(ticket)
    group.tickets.delete(ticket)
    if (group.tickets.size > 0) return true
    for (const list of [fresh, begun, patient]) list.delete(group)
    return true
  }
  const newest = (): Group<T> | undefined => {
    for (;;) {
      const group = stack.at(-1)
      if (group === undefined || fresh.has(group)) return group
      stack.pop()
    }
  }
  const nextGroup = (at: number): Group<T> | undefined => {
    const [ongoing] = begun
    const [oldest] = fresh
    const [long] = patient
    if (ongoing || !oldest) return ongoing ?? long
    if (at - oldest.since < LONG_WAIT_MS) return long && long.place < oldest.place ? long : oldest
    turn = (turn + 1) % OLDEST_EVERY
    if (turn === 0) return oldest
    return long && turn === OLDEST_EVERY / 2 ? long : newest()
  }
  const note = (partOf: object, at: number): Reading<T> => {
    const reading = readings.get(partOf) ?? { group: makeGroup(at), startedAt: at, sent: 0 }
    if (reading.sent === 0) readings.set(partOf, reading)
    reading.startedAt ??= at
    reading.sent += 1
    return reading
  }
  /** Queues each waiting ticket on its own, behind the others: its reading has had its turn. */
  const disperse = (group: Group<T>): void => {
    fresh.delete(group)
    begun.delete(group)
    for (const ticket of group.tickets) {
      const own = makeGroup(group.since)
      own.tickets.add(ticket)
      groups.set(ticket, own)
      patient.add(own)
    }
    group.tickets.clear()
  }
  const begin = (group: Group<T>, { partOf }: T, at: number): void => {
    if (!partOf) return
    const reading = note(partOf, at)
    if (reading.group !== group || group.tickets.size === 0) return
    if (isLong(reading, at)) disperse(group)
    else if (fresh.delete(group)) begun.add(group)
  }

  return {
    add: (ticket) => {
      const group = groupOf(ticket, now())
      group.tickets.add(ticket)
      groups.set(ticket, group)
    },
    passed: ({ partOf }) => {
      if (partOf) note(partOf, now())
    },
    take: () => {
      const at = now()
      const group = nextGroup(at)
      if (!group) return undefined
      const [ticket] = group.tickets
      if (!ticket) return undefined
      drop(ticket)
      begin(group, ticket, at)
      return ticket
    },
    remove: drop,
    giveUp: () => {
      const [oldest] = fresh
      const [ticket] = oldest && now() - oldest.since >= LONG_WAIT_MS ? oldest.tickets : []
      if (ticket) drop(ticket)
      return ticket
    },
    empty: () => {
      const all = [...groups.keys()]
      for (const ticket of all) drop(ticket)
      stack.length = 0
      return all
    },
    size: () => groups.size,
  }
}
