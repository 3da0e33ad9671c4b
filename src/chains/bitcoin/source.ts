import type { Logger } from 'pino'
import {
  BadInputError,
  CancelledError,
  DeadlineError,
  failure,
  UpstreamRateLimitedError,
  UpstreamUnavailableError,
} from '../../errors.ts'
import type {
  AddressAccount,
  BalanceSource,
  BitcoinBalances,
  NativeToken,
  Outcome,
  ReadContext,
} from '../capabilities.ts'
import { type BitcoinAddress, createAddressReader } from './address.ts'
import type { BitcoinBackend, Told } from './backend.ts'
import { BITCOIN_LAG_BLOCKS, MAX_ACCOUNTS } from './limits.ts'
import type { BitcoinNetworkName } from './network.ts'
import { createTipWatch } from './tip-watch.ts'

export interface BitcoinBalanceSourceDeps {
  /** `bip122:` and the first 32 hex digits of the genesis hash. */
  caip2Id: string
  native: NativeToken
  /** Network of the servers; regtest may stand in for the network of `caip2Id`. */
  network: BitcoinNetworkName
  /** In order of preference; the kinds may differ. */
  backends: readonly BitcoinBackend[]
  logger?: Pick<Logger, 'debug'>
}

/** An address whose call was cut off because the time was over is late; nobody cancelled it. */
const lateNotCancelled = (outcome: Told<BitcoinBalances>): Told<BitcoinBalances> =>
  !outcome.ok && outcome.error instanceof CancelledError ? failure(late()) : outcome

const late = (): DeadlineError => new DeadlineError('bitcoin servers did not answer in time')

/** The reader has left, for another reason than its deadline. */
const hasLeft = ({ signal }: ReadContext): boolean => signal.aborted && !(signal.reason instanceof DeadlineError)

/** A backend that knows its deadline reports itself what delayed the answer; after this the others are cut off. */
const TIME_TO_TELL_MS = 25

/** Time for a height, milliseconds. */
const TIP_MS = 5_000

/** The time of the first of `many` backends: a hanging one must leave some for the next. The last has all of it. */
function shareOf(context: ReadContext, many: number): ReadContext {
  if (many === 1) return context
  const share = Math.ceil((context.deadline - Date.now()) / many)
  const timeout = AbortSignal.timeout(Math.max(1, share + TIME_TO_TELL_MS))
  return { ...context, signal: AbortSignal.any([context.signal, timeout]), deadline: Date.now() + share }
}

type Found = Map<string, Told<BitcoinBalances>>

/** "Rate limited" is reported only if it is the only cause; otherwise the first other cause tells more. */
const worst = (known: Outcome<BitcoinBalances> | undefined, next: Error): Outcome<BitcoinBalances> =>
  !known || known.ok || known.error instanceof UpstreamRateLimitedError ? failure(next) : known

/**
 * Reads confirmed and unconfirmed satoshi; an address that one backend could not answer goes to the next. Answers of a
 * backend that lags count only if the others do not answer. A backend that needs more than a second for so many
 * addresses is asked after those that do not. Error texts name the cause only; the service puts the operation in front.
 */
export const createBitcoinBalanceSource = (
  deps: BitcoinBalanceSourceDeps,
): BalanceSource<AddressAccount, BitcoinBalances> => {
  const readAddress = createAddressReader({ caip2Id: deps.caip2Id, network: deps.network })
  const tips = createTipWatch<BitcoinBackend>({
    subjects: deps.backends,
    ask: (backend, signal) => backend.height({ signal, deadline: Date.now() + TIP_MS }),
    lagBlocks: BITCOIN_LAG_BLOCKS,
  })

  const ask = async (
    backend: BitcoinBackend,
    addresses: readonly BitcoinAddress[],
    context: ReadContext,
  ): Promise<Found> => {
    try {
      const found = await backend.readBalances(addresses, context)
      if (!context.signal.aborted) return found
      return new Map([...found].map(([address, outcome]) => [address, lateNotCancelled(outcome)]))
    } catch (error) {
      const reason = context.signal.aborted ? late() : error
      deps.logger?.debug({ caip2Id: deps.caip2Id, backend: backend.name, err: reason }, 'bitcoin backend failed')
      return new Map(addresses.map(({ address }) => [address, failure(reason)]))
    }
  }

  const readAll = async (addresses: readonly BitcoinAddress[], context: ReadContext): Promise<Found> => {
    tips.touch()
    // A backend that may be down must not take the time of one that only needs longer.
    const isSlow = (backend: BitcoinBackend): boolean =>
      addresses.length > (backend.addressesPerSecond ?? Number.POSITIVE_INFINITY) || !tips.hasTold(backend)
    const found: Found = new Map()
    const old: Found = new Map()
    let pending = addresses
    const backends = deps.backends.toSorted(
      (a, b) => Number(tips.lags(a)) - Number(tips.lags(b)) || Number(isSlow(a)) - Number(isSlow(b)),
    )
    for (const [index, backend] of backends.entries()) {
      if (pending.length === 0 || Date.now() >= context.deadline || context.signal.aborted) break
      const answers = await ask(backend, pending, shareOf(context, backends.length - index))
      const behind = await tips.isBehind(backend, context.signal).catch(() => false)
      if (hasLeft(context)) throw new CancelledError()
      if (behind) {
        for (const [address, outcome] of answers) if (outcome.ok && !old.has(address)) old.set(address, outcome)
        continue
      }
      for (const { address } of pending) {
        const outcome: Told<BitcoinBalances> =
          answers.get(address) ?? failure(new UpstreamUnavailableError(`${backend.name} left ${address} out`))
        if (outcome.lags) old.set(address, old.get(address) ?? outcome)
        else found.set(address, outcome.ok ? outcome : worst(found.get(address), outcome.error))
      }
      pending = pending.filter(({ address }) => !found.get(address)?.ok)
    }
    for (const { address } of pending) {
      const told = old.get(address)
      if (told) found.set(address, told)
    }
    return found
  }

  return {
    caip2Id: deps.caip2Id,
    networkType: 'btc',
    native: deps.native,
    async readBalances(accounts, context) {
      const results = new Map<string, Outcome<BitcoinBalances>>()
      const addresses = new Map<string, BitcoinAddress>()
      const asked = new Map<string, string>()
      for (const { id } of accounts) {
        if (results.has(id) || asked.has(id)) continue
        try {
          if (asked.size >= MAX_ACCOUNTS) throw new BadInputError('too many addresses at once')
          const read = readAddress(id)
          asked.set(id, read.address)
          addresses.set(read.address, read)
        } catch (error) {
          results.set(id, failure(error))
        }
      }
      const found = await readAll([...addresses.values()], context)
      for (const [id, address] of asked) {
        results.set(id, found.get(address) ?? failure(new DeadlineError('no time left for this address')))
      }
      return results
    },
  }
}
