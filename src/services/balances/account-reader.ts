import type { Outcome } from '../../chains/capabilities.ts'
import { asError, CancelledError, DeadlineError, FirnError, OverloadedError } from '../../errors.ts'
import { steadyNow } from '../../lib/steady-clock.ts'
import { TransientMap } from '../../lib/transient-map.ts'
import { accountName, batchKey } from './batch-key.ts'
import { createDeadline, withDeadline } from './deadline.ts'
import { createKeptReadings, passingFailures, type Reading, type ReadingOutcome } from './kept-readings.ts'
import { createReadTimes } from './read-times.ts'
import { rejectedOnAbort } from './rejected-on-abort.ts'
import type { Account, BalanceChain, Balances, ChainQuery } from './types.ts'

/** How long readings count as current: until this time, unless one that was current is replaced first. */
export interface Freshness {
  /** Milliseconds of the reader's clock. */
  until: number
  /** Number of readings that had been replaced while they were current, or were of a chain that was reset since. */
  replaced: number
}

export interface AccountReaderOptions {
  deadlineMs: number
  /** Maximum age of a reading that is served in place of a failed read, milliseconds. */
  maxStaleMs: number
  cacheEntries: number
  /** How often a chain was reset (`Chains.resets`); readings of before count for nothing. Default: never. */
  resets?: () => number
  /** There is no room for another read. Default: there always is. */
  isFull?: () => boolean
  now?: () => number
}

/** A request that joins a read with less than this fraction of the request's own time left must not fail with it. */
const FAIR_SHARE = 0.5

/** Shared by all, because when it is needed often, there is no room for more. */
const NO_ROOM = new OverloadedError()

/** What a chain answered, or why it did not. */
type Answer = ReadonlyMap<string, Outcome<Balances>> | Error

interface Flight {
  startedAt: number
  /** The read's time limit, milliseconds. */
  deadlineMs: number
  /** Who waits for it, or did. */
  clients: Set<string>
  /** What is told of it, and whether its time was over before all was read. */
  ended: Promise<{ reading: Reading; isLate: boolean }>
  waiters: number
  /** Nothing can be read any more. */
  isComplete: boolean
  controller: AbortController
}

/** One request for accounts of a chain. */
interface Asker {
  chain: BalanceChain
  query: ChainQuery
  key: string
  /** Time limit of a read started for it, milliseconds. */
  deadlineMs: number
  /** A read that it joined late has failed, and this is its own read. */
  isAgain: boolean
  client: string | undefined
  signal: AbortSignal
}

/**
 * Reads accounts of any chain and saves work in two ways: a reading younger than about one block is reused, and a read
 * in flight is shared (and cancelled when its last waiter leaves). Both are for requests for exactly the same accounts:
 * what is told of an account depends on the accounts read with it, where time, calls and tokens are bounded per read, and
 * anyone may request someone else's account in a batch that leaves little for it. So all accounts of a request are of
 * one reading, whichever it is.
 */
export function createAccountReader(options: AccountReaderOptions) {
  const now = options.now ?? steadyNow
  const readings = createKeptReadings(options.cacheEntries, options.maxStaleMs, now)
  const flights = new TransientMap<string, Flight>()
  const readTimes = createReadTimes()
  const resets = options.resets ?? (() => 0)
  /** What was read, or is being read, since before a chain was reset is not found by it. */
  const keyOf = (query: ChainQuery): string => `${resets()}|${batchKey(query)}`

  function start({ chain, query, key, deadlineMs, client }: Asker): Flight {
    const controller = new AbortController()
    const startedAt = now()
    const accounts = namedAccounts(query)
    const clients = new Set<string>(client === undefined ? [] : [client])
    const ended = Promise.resolve({ reading: { outcomes: new Map(), at: startedAt }, isLate: false })
    const flight: Flight = { startedAt, deadlineMs, waiters: 0, isComplete: false, controller, ended, clients }
    const deadline = createDeadline(deadlineMs)
    const context = {
      signal: controller.signal,
      clients,
      get deadline() {
        return deadline.at()
      },
    }
    const end = (answer: Answer): Awaited<Flight['ended']> => {
      if (!(answer instanceof Error)) readTimes.add(query.caip2Id, now() - startedAt)
      const read = readingOf(accounts, answer, flight, now())
      flight.isComplete = passingFailures(read) === 0
      if (flights.get(key) === flight) flights.delete(key)
      const isLate = [...read.outcomes.values()].some(
        (outcome) => !outcome.ok && outcome.error instanceof DeadlineError,
      )
      // What was cut short because everybody had left tells nothing of the chain.
      const isLeft = controller.signal.aborted && flight.waiters === 0 && !flight.isComplete
      return { reading: isLeft ? read : readings.settle(key, read, chain.cacheMs), isLate }
    }
    flight.ended = withDeadline(deadline, controller, () => chain.source.readBalances(accounts, context)).then(
      end,
      (error: unknown) => end(asError(error)),
    )
    flights.set(key, flight)
    return flight
  }

  async function join(flight: Flight, { signal, client }: Asker): ReturnType<typeof start>['ended'] {
    flight.waiters += 1
    if (client !== undefined) flight.clients.add(client)
    try {
      if (signal.aborted) throw new CancelledError()
      return await Promise.race([flight.ended, rejectedOnAbort(signal)])
    } finally {
      flight.waiters -= 1
      if (flight.waiters === 0 && !flight.isComplete) flight.controller.abort(new CancelledError())
    }
  }

  async function readingBy(flight: Flight, asker: Asker): Promise<Reading> {
    const joinedAt = now()
    const { reading, isLate } = await join(flight, asker)
    const left = flight.startedAt + flight.deadlineMs - joinedAt
    if (!isLate || asker.isAgain || left >= asker.deadlineMs * FAIR_SHARE) return reading
    // In the time that remains.
    return readingFor({ ...asker, deadlineMs: asker.deadlineMs - (now() - joinedAt), isAgain: true })
  }

  function readingFor(asker: Asker): Reading | Promise<Reading> {
    const { chain, query, key } = asker
    const kept = readings.of(key)
    if (kept && now() - kept.at < chain.cacheMs && passingFailures(kept) === 0) return kept
    const flight = flights.get(key)
    if (flight && !flight.controller.signal.aborted) return readingBy(flight, asker)
    if (!options.isFull?.()) return readingBy(start(asker), asker)
    const at = now()
    return readings.settle(key, readingOf(namedAccounts(query), NO_ROOM, { startedAt: at }, at), chain.cacheMs)
  }

  /** The balances of all accounts if they were read young enough, and how long they are; else undefined. */
  function fresh(chain: BalanceChain, query: ChainQuery) {
    const kept = readings.of(keyOf(query))
    if (!kept || now() - kept.at >= chain.cacheMs) return undefined
    const balances: Balances[] = []
    for (const outcome of outcomesOf(kept, query)) {
      if (!outcome.ok) return undefined
      balances.push(outcome.balances)
    }
    return { balances, until: kept.at + chain.cacheMs }
  }

  const replaced = (): number => readings.replaced() + resets()
  const freshness = (until: number): Freshness => ({ until, replaced: replaced() })
  const isFresh = (of: Freshness): boolean => of.replaced === replaced() && now() < of.until

  /**
   * The outcomes of all accounts, in their order, of one reading: the cached one at once, that in flight, or a new one.
   * The promise rejects only with CancelledError, when `signal` is aborted.
   * @param client who asks; left out: nobody in particular
   */
  function read(
    chain: BalanceChain,
    query: ChainQuery,
    signal: AbortSignal,
    client?: string,
  ): ReadingOutcome[] | Promise<ReadingOutcome[]> {
    const { deadlineMs } = options
    const reading = readingFor({ chain, query, key: keyOf(query), deadlineMs, isAgain: false, client, signal })
    return reading instanceof Promise ? reading.then((one) => outcomesOf(one, query)) : outcomesOf(reading, query)
  }

  return { fresh, freshness, isFresh, read, readTimeOf: readTimes.of }
}

/** Each account once, under its name. */
function namedAccounts({ networkType, accounts }: ChainQuery): Account[] {
  const named = new Map<string, Account>()
  for (const account of accounts) {
    const id = accountName(networkType, account)
    if (!named.has(id)) named.set(id, { ...account, id })
  }
  return [...named.values()]
}

const outcomesOf = ({ outcomes }: Reading, { networkType, accounts }: ChainQuery): ReadingOutcome[] =>
  accounts.map((account) => outcomes.get(accountName(networkType, account)) as ReadingOutcome)

/** @param endedAt milliseconds of the reader's clock */
function readingOf(
  accounts: readonly Account[],
  answer: Answer,
  flight: Pick<Flight, 'startedAt'> & Partial<Pick<Flight, 'controller'>>,
  endedAt: number,
): Reading {
  const afterMs = endedAt - flight.startedAt
  const missing = new FirnError('no answer for the account', { code: 'BAD_ANSWER' })
  const outcomes = new Map<string, ReadingOutcome>()
  for (const { id } of accounts) {
    const told = answer instanceof Error ? undefined : answer.get(id)
    if (told?.ok) outcomes.set(id, { ok: true, balances: told.value })
    else {
      const error = told?.error ?? (answer instanceof Error ? answer : missing)
      outcomes.set(id, { ok: false, error: causeOf(error, flight.controller), afterMs })
    }
  }
  return { outcomes, at: flight.startedAt }
}

/** A read that was stopped at its deadline was not cancelled by a client. */
function causeOf(error: Error, controller: AbortController | undefined): Error {
  const reason: unknown = controller?.signal.reason
  return error instanceof CancelledError && reason instanceof DeadlineError ? reason : error
}
