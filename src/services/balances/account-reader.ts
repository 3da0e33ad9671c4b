import type { NetworkType, Outcome } from '../../chains/capabilities.ts'
import { asError, CancelledError, DeadlineError, FirnError, OverloadedError } from '../../errors.ts'
import { steadyNow } from '../../lib/steady-clock.ts'
import { TransientMap } from '../../lib/transient-map.ts'
import { type AccountKey, accountKey } from './account-key.ts'
import { createDeadline, withDeadline } from './deadline.ts'
import { createKeptReadings, type Reading } from './kept-readings.ts'
import { type Batch, type BatchCheck, createBatchCheck } from './read-batch.ts'
import { createReadTimes } from './read-times.ts'
import { rejectedOnAbort } from './rejected-on-abort.ts'
import type { Account, BalanceChain, Balances } from './types.ts'

/** How long readings count as current: until this time, unless one that was current is replaced first. */
export interface Freshness {
  /** Milliseconds of the reader's clock. */
  until: number
  /** Number of readings that had been replaced while they were current. */
  replaced: number
}

/** `afterMs`: how long the read had taken when it failed. */
export type ReadingOutcome = { ok: true; reading: Reading } | { ok: false; error: Error; afterMs: number }

/** Accounts whose balances become known together. */
export interface ReadGroup {
  accounts: Account[]
  /** An array when everything was cached. */
  outcomes: ReadingOutcome[] | Promise<ReadingOutcome[]>
}

export interface AccountReaderOptions {
  deadlineMs: number
  /** Maximum age of a reading that is served in place of a failed read, milliseconds. */
  maxStaleMs: number
  cacheEntries: number
  /** There is no room for another read. Default: there always is. */
  isFull?: () => boolean
  now?: () => number
}

/** A request that joins a read with less than this fraction of the request's own time left must not fail with it. */
const FAIR_SHARE = 0.5

/** Shared by all, because when it is needed often, there is no room for more. */
const NO_ROOM = new OverloadedError()

interface Flight {
  startedAt: number
  /** The read's time limit, milliseconds. */
  deadlineMs: number
  batch: Batch
  /** Who waits for it, or did. */
  clients: Set<string>
  outcomes: Promise<Map<string, Outcome<Balances>>>
  waiters: number
  /** Every account was read: unlike after a failure, no work can be left. */
  complete: boolean
  controller: AbortController
}

/** One request for accounts of a chain. */
interface Asker {
  chain: BalanceChain
  networkType: NetworkType
  mayUse: BatchCheck
  /** Time limit of a read started for it, milliseconds. */
  deadlineMs: number
  /** A read that it joined late has failed, and this is its own read. */
  isAgain: boolean
  client: string | undefined
  signal: AbortSignal
}

/** Accounts that wait for the same read, with their keys. */
interface Waiting {
  accounts: Account[]
  keys: AccountKey[]
}

/**
 * Reads accounts of any chain and saves work in three ways: a reading younger than about one block is reused, an
 * identical read in flight is shared (and cancelled when its last waiter leaves), and all other accounts of a request
 * are one read. Accounts that were read together are only served to requests for all of them (`read-batch.ts`).
 */
export function createAccountReader(options: AccountReaderOptions) {
  const now = options.now ?? steadyNow
  const readings = createKeptReadings(options.cacheEntries, now)
  const flights = new TransientMap<string, Flight>()
  const readTimes = createReadTimes()

  function start({ chain, deadlineMs, client }: Asker, accounts: Account[]): Flight {
    const { caip2Id } = chain.source
    const controller = new AbortController()
    const startedAt = now()
    const keys = accounts.map((account) => `${caip2Id}|${account.id}`)
    const outcomes = Promise.resolve(new Map())
    const clients = new Set<string>(client === undefined ? [] : [client])
    const shared = { waiters: 0, complete: false, controller, outcomes, clients }
    const flight: Flight = { startedAt, deadlineMs, batch: keys, ...shared }
    const deadline = createDeadline(deadlineMs)
    const context = {
      signal: controller.signal,
      clients,
      get deadline() {
        return deadline.at()
      },
    }
    const read = withDeadline(deadline, controller, () => chain.source.readBalances(accounts, context))
    flight.outcomes = read
      .then((outcomes) => {
        readTimes.add(caip2Id, now() - startedAt)
        flight.complete = true
        const keep = readings.keeperOf({ batch: keys, at: startedAt }, chain.cacheMs)
        accounts.forEach((account, at) => {
          const outcome = outcomes.get(account.id)
          if (outcome?.ok) keep(keys[at] as string, outcome.value)
          else flight.complete = false
        })
        return outcomes
      })
      .finally(() => {
        for (const key of keys) if (flights.get(key) === flight) flights.delete(key)
      })
    // A read without waiters still settles; its rejection has been reported to those who waited.
    flight.outcomes.catch(() => {})
    for (const key of keys) flights.set(key, flight)
    return flight
  }

  async function join(flight: Flight, { signal, client }: Asker): Promise<Map<string, Outcome<Balances>>> {
    flight.waiters += 1
    if (client !== undefined) flight.clients.add(client)
    try {
      if (signal.aborted) throw new CancelledError()
      return await Promise.race([flight.outcomes, rejectedOnAbort(signal)])
    } finally {
      flight.waiters -= 1
      if (flight.waiters === 0 && !flight.complete) flight.controller.abort(new CancelledError())
    }
  }

  /** A failed read may be answered by a cached reading that is young enough; a wrong address never is. */
  function fallback({ mayUse }: Asker, key: string, error: Error, startedAt: number): ReadingOutcome {
    const kept = readings.of(key, mayUse)
    const passing = !(error instanceof FirnError) || error.retryable
    if (kept && passing && now() - kept.at <= options.maxStaleMs) return { ok: true, reading: kept }
    return { ok: false, error, afterMs: now() - startedAt }
  }

  async function settle(flight: Flight, waiting: Waiting, asker: Asker): Promise<ReadingOutcome[]> {
    const joinedAt = now()
    let outcomes: Map<string, Outcome<Balances>> | Error
    try {
      outcomes = await join(flight, asker)
    } catch (error) {
      if (error instanceof CancelledError && asker.signal.aborted) throw error
      outcomes = asError(error)
    }
    const { startedAt, batch } = flight
    const left = startedAt + flight.deadlineMs - joinedAt
    const cameLate = !asker.isAgain && left < asker.deadlineMs * FAIR_SHARE
    const late: Account[] = []
    const settled = waiting.keys.map(({ name, key }, at): ReadingOutcome => {
      const outcome = outcomes instanceof Error ? undefined : outcomes.get(name)
      if (outcome?.ok) {
        const kept = readings.of(key, asker.mayUse)
        // The new reading may not have been cached: it was too large, or another batch's reading was newer.
        const isKept = kept !== undefined && kept.at >= startedAt
        return { ok: true, reading: isKept ? kept : { balances: outcome.value, at: startedAt, batch } }
      }
      const unanswered = outcomes instanceof Error ? outcomes : undefined
      const error = outcome?.error ?? unanswered ?? new FirnError('no answer for the account', { code: 'BAD_ANSWER' })
      const cause = causeOf(error, flight)
      if (cameLate && cause instanceof DeadlineError) late.push(waiting.accounts[at] as Account)
      return fallback(asker, key, cause, startedAt)
    })
    if (late.length === 0) return settled
    const own = await readAgain(late, { ...asker, deadlineMs: asker.deadlineMs - (now() - joinedAt), isAgain: true })
    return settled.map((outcome, at) => own.get(waiting.accounts[at] as Account) ?? outcome)
  }

  /** In the remaining time. */
  async function readAgain(accounts: readonly Account[], asker: Asker): Promise<Map<Account, ReadingOutcome>> {
    const groups = await Promise.all(
      readFor(asker, accounts).map(async (group) => ({ ...group, outcomes: await group.outcomes })),
    )
    return new Map(
      groups.flatMap((group) =>
        group.accounts.map((account, at): [Account, ReadingOutcome] => [account, group.outcomes[at] as ReadingOutcome]),
      ),
    )
  }

  /** The readings of all accounts if every one is young enough, and how long they are; else undefined. */
  function fresh(chain: BalanceChain, networkType: NetworkType, accounts: readonly Account[]) {
    const at = now()
    const found: Reading[] = []
    const mayUse = createBatchCheck(chain.source.caip2Id, networkType, accounts)
    let oldest = Number.POSITIVE_INFINITY
    for (const account of accounts) {
      const reading = readings.of(accountKey(chain.source.caip2Id, networkType, account).key, mayUse)
      if (!reading || at - reading.at >= chain.cacheMs) return undefined
      oldest = Math.min(oldest, reading.at)
      found.push(reading)
    }
    return { readings: found, until: oldest + chain.cacheMs }
  }

  const freshness = (until: number): Freshness => ({ until, replaced: readings.replaced() })
  const isFresh = (of: Freshness): boolean => of.replaced === readings.replaced() && now() < of.until

  /**
   * Splits the accounts into groups that become known together: cached ones at once, those in flight with their read,
   * all others in one new read. The promises reject only with CancelledError, when `signal` is aborted.
   * @param client who asks; left out: nobody in particular
   */
  function read(
    chain: BalanceChain,
    networkType: NetworkType,
    accounts: readonly Account[],
    signal: AbortSignal,
    client?: string,
  ): ReadGroup[] {
    const mayUse = createBatchCheck(chain.source.caip2Id, networkType, accounts)
    const { deadlineMs } = options
    return readFor({ chain, networkType, mayUse, deadlineMs, isAgain: false, client, signal }, accounts)
  }

  function readFor(asker: Asker, accounts: readonly Account[]): ReadGroup[] {
    const { chain, networkType, mayUse } = asker
    const known: { accounts: Account[]; outcomes: ReadingOutcome[] } = { accounts: [], outcomes: [] }
    const shared = new Map<Flight, Waiting>()
    const missing = new Map<string, Account>()
    const starting: Waiting = { accounts: [], keys: [] }
    const at = now()
    for (const account of accounts) {
      const made = accountKey(chain.source.caip2Id, networkType, account)
      const reading = readings.of(made.key, mayUse)
      const flight = flights.get(made.key)
      if (reading && at - reading.at < chain.cacheMs) {
        known.accounts.push(account)
        known.outcomes.push({ ok: true, reading })
      } else if (flight && !flight.controller.signal.aborted && mayUse(flight.batch)) {
        const group = shared.get(flight) ?? { accounts: [], keys: [] }
        group.accounts.push(account)
        group.keys.push(made)
        shared.set(flight, group)
      } else {
        starting.accounts.push(account)
        starting.keys.push(made)
        missing.set(made.name, { ...account, id: made.name })
      }
    }
    const groups: ReadGroup[] = []
    if (known.accounts.length > 0) groups.push(known)
    for (const [flight, group] of shared) {
      groups.push({ accounts: group.accounts, outcomes: settle(flight, group, asker) })
    }
    if (missing.size > 0) {
      groups.push({ accounts: starting.accounts, outcomes: readAnew([...missing.values()], starting, asker) })
    }
    return groups
  }

  function readAnew(accounts: Account[], waiting: Waiting, asker: Asker): ReadGroup['outcomes'] {
    if (!options.isFull?.()) return settle(start(asker, accounts), waiting, asker)
    const startedAt = now()
    return waiting.keys.map(({ key }) => fallback(asker, key, NO_ROOM, startedAt))
  }

  return { fresh, freshness, isFresh, read, readTimeOf: readTimes.of }
}

/** A read that was stopped at its deadline was not cancelled by a client. */
function causeOf(error: unknown, { controller }: Flight): Error {
  const { reason } = controller.signal
  return error instanceof CancelledError && reason instanceof DeadlineError ? reason : asError(error)
}
