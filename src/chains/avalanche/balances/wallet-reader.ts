import { setMaxListeners } from 'node:events'
import { BadAnswerError } from '../../../errors.ts'
import type { ChainLetter } from '../../../facts/primary-network.ts'
import { inTurns } from '../../../lib/waiting/in-turns.ts'
import { mapBounded } from '../../../lib/waiting/map-bounded.ts'
import type { CallOptions } from '../../../upstream/types.ts'
import type { Outcome, ReadContext, WalletAccount } from '../../capabilities.ts'
import { accountFailure } from '../account-failure.ts'
import { type KeyScanner, type OwnedWindow, WINDOWS_PER_TURN } from '../keys/key-scanner.ts'
import type { AvalancheNetwork, NetworkFacts } from '../network.ts'
import { type BundleReader, createBundleReader } from './bundle-reader.ts'
import { type Bundle, hasKeys, type ParsedWallet, packBundles } from './bundles.ts'
import type { Holdings } from './coins.ts'
import { distribute, type OwnedAddresses } from './distribution.ts'
import type { UnitState } from './unit-reader.ts'
import { parseWallets } from './wallet-parsing.ts'

/** A wallet with everything it owns on the chain. */
export interface WalletHoldings {
  wallet: ParsedWallet
  holdings: Holdings
}

export interface WalletReaderDeps<B> {
  network: AvalancheNetwork
  chain: ChainLetter
  /** Left out on C, whose addresses cannot be derived from an X/P key. */
  keys?: KeyScanner
  /** Turns the holdings of wallets that were read together into their balances, in the same order. */
  summarize(wallets: readonly WalletHoldings[], facts: NetworkFacts, call: CallOptions): Promise<Outcome<B>[]>
}

export type WalletReader<B> = (
  accounts: readonly WalletAccount[],
  context: ReadContext,
) => Promise<Map<string, Outcome<B>>>

/**
 * Bundles read at the same time. Bounds memory for the largest requests: 250,000 addresses are 250 bundles of three
 * round trips each. The load on one node is bounded by its upstream limits.
 */
const CONCURRENT_BUNDLES = 12

/** Reads wallets of one chain: all wallets of a request together, each with its own outcome. */
export function createWalletReader<B>(deps: WalletReaderDeps<B>): WalletReader<B> {
  const readBundle = createBundleReader(deps.network.pool, deps.chain)
  return async (accounts, context) => {
    const { signal } = context
    // Every call of a large request listens to this signal.
    setMaxListeners(0, signal)
    const call: CallOptions = {
      signal,
      // Every call of a long read gets the current deadline, which may have been extended.
      get deadline() {
        return context.deadline
      },
    }
    const facts = await deps.network.facts(call)
    const { wallets, failures } = await parseWallets(accounts, facts.hrp, deps.keys !== undefined)
    const outcomes = new Map<string, Outcome<B>>()
    for (const [id, error] of failures) outcomes.set(id, { ok: false, error })
    const keyReadings = startKeyScans(deps.keys, wallets, call)
    await mapBounded(packBundles(wallets), CONCURRENT_BUNDLES, async (bundle) => {
      const answers = await answerBundle(deps, readBundle, bundle, keyReadings, facts, call)
      for (const [id, outcome] of answers) outcomes.set(id, outcome)
    })
    return outcomes
  }
}

/** For each wallet with keys, everything it owns, its single addresses included. */
type KeyReadings = ReadonlyMap<ParsedWallet, Promise<readonly OwnedWindow[]>>

function startKeyScans(keys: KeyScanner | undefined, wallets: readonly ParsedWallet[], call: CallOptions): KeyReadings {
  if (!keys) return new Map()
  const keyed = wallets.filter(hasKeys)
  const readings = keys.scan(keyed, call)
  // A scan may fail before the bundle that needs it starts.
  for (const reading of readings) reading.catch(() => undefined)
  return new Map(keyed.map((wallet, index) => [wallet, readings[index] as Promise<readonly OwnedWindow[]>]))
}

async function answerBundle<B>(
  deps: WalletReaderDeps<B>,
  readBundle: BundleReader,
  bundle: Bundle,
  keyReadings: KeyReadings,
  facts: NetworkFacts,
  call: CallOptions,
): Promise<Map<string, Outcome<B>>> {
  const outcomes = new Map<string, Outcome<B>>()
  try {
    const [states, derived] = await Promise.all([
      readBundle(bundle, call),
      Promise.all(bundle.wallets.map((wallet) => settleKeys(wallet, keyReadings))),
    ])
    const served = bundle.wallets.flatMap((wallet, index) => {
      const windows = derived[index]
      if (!(windows instanceof Error)) return [{ wallet, windows: windows ?? [] }]
      outcomes.set(wallet.id, { ok: false, error: windows })
      return []
    })
    const together = await holdingsOf(served, bundle, states, deps.chain)
    const answers = await deps.summarize(together, facts, call)
    together.forEach(({ wallet }, index) => {
      outcomes.set(wallet.id, answers[index] as Outcome<B>)
    })
  } catch (thrown) {
    const error = accountFailure(thrown)
    for (const { id } of bundle.wallets) if (!outcomes.has(id)) outcomes.set(id, { ok: false, error })
  }
  return outcomes
}

/** What was read for a wallet's keys, or the error: without the keys the wallet's sum would be too small. */
async function settleKeys(wallet: ParsedWallet, readings: KeyReadings): Promise<readonly OwnedWindow[] | Error> {
  if (!hasKeys(wallet)) return []
  try {
    const reading = readings.get(wallet)
    if (!reading) throw new BadAnswerError('a key was not read')
    return await reading
  } catch (error) {
    return accountFailure(error)
  }
}

async function holdingsOf(
  served: readonly { wallet: ParsedWallet; windows: readonly OwnedWindow[] }[],
  bundle: Bundle,
  states: readonly UnitState[],
  chain: ChainLetter,
): Promise<WalletHoldings[]> {
  const unitOf = unitsOf(bundle)
  const units = [...states]
  const numbers = new Map<UnitState, number>()
  const numberOf = (state: UnitState) => {
    const known = numbers.get(state)
    if (known !== undefined) return known
    numbers.set(state, units.length)
    units.push(state)
    return units.length - 1
  }
  const owned: OwnedAddresses[] = []
  for (const { wallet, windows } of served) {
    const { hexes } = wallet.addresses
    const found = new Map<string, number>()
    await inTurns(windows, WINDOWS_PER_TURN, (window) => {
      const unit = numberOf(chain === 'P' ? window.P : window.X)
      for (const hex of window.addresses) if (!found.has(hex)) found.set(hex, unit)
    })
    const get = (hex: string) => (hexes.has(hex) ? unitOf(hex) : undefined)
    owned.push(hasKeys(wallet) ? found : { get, keys: () => hexes })
  }
  const holdings = await distribute(units, owned)
  return served.map(({ wallet }, index) => ({ wallet, holdings: holdings[index] as Holdings }))
}

/** The number of the bundle's unit in which an address is read. */
function unitsOf({ units }: Bundle): (hex: string) => number {
  if (units.length <= 1) return () => 0
  const numbers = new Map(units.flatMap((unit, index) => unit.map(({ hex }) => [hex, index] as const)))
  return (hex) => numbers.get(hex) ?? 0
}
