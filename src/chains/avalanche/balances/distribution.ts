import { nextTurn } from '../../../lib/waiting/next-turn.ts'
import type { Coin, Holdings, OwnedAmount } from './coins.ts'
import type { UnitState } from './unit-reader.ts'

/**
 * Returns the number of the unit in which an address (hex) of the wallet is read; undefined if the wallet does not own
 * it. An output with several owners counts in the lowest of their units only, so overlapping lists never count twice.
 */
export interface OwnedAddresses {
  get(hex: string): number | undefined
  /** All of them. */
  keys(): Iterable<string>
}

/** Owners and shares that are looked at in one turn: anybody can send anybody a hundred thousand outputs. */
const LOOKED_AT_PER_TURN = 2_000
/** An output may name thousands of owners: after this many different ones it is first asked whether anybody has one. */
const FEW_OWNERS = 1_000

/** Assigns the contents of units to the wallets that own them; an output that several wallets own counts in each. */
export async function distribute(units: readonly UnitState[], wallets: readonly OwnedAddresses[]): Promise<Holdings[]> {
  // Units list their sources in a fixed order; the order in which coins are found depends on the other wallets.
  const sources = [...new Set(units.flatMap(({ atomic }) => [...atomic.keys()]))]
  const holdings = wallets.map(
    (): Holdings => ({ own: [], atomic: new Map(sources.map((source) => [source, []])), staked: [] }),
  )
  const deal = createDealer(wallets)
  for (const [unit, state] of units.entries()) {
    await deal(state.own, unit, (wallet, coin) => holdings[wallet]?.own.push(coin))
    for (const [source, amounts] of state.atomic) {
      await deal(amounts, unit, (wallet, coin) => {
        holdings[wallet]?.atomic.get(source)?.push(coin)
      })
    }
    await deal(state.staked, unit, (wallet, coin, owners) => holdings[wallet]?.staked.push({ ...coin, owners }))
  }
  return holdings
}

interface Share {
  signers: number
  firstUnit: number
}

type OwnerIndex = (owner: string) => readonly { wallet: number; unit: number }[]

const NOBODY: ReturnType<OwnerIndex> = []

/** Filled for owners as they occur: only a few of a large wallet's addresses own anything. */
function createOwnerIndex(wallets: readonly OwnedAddresses[]): OwnerIndex {
  const index = new Map<string, { wallet: number; unit: number }[]>()
  let all: ReadonlySet<string> | undefined
  return (owner) => {
    const known = index.get(owner)
    if (known) return known
    if (index.size >= FEW_OWNERS && wallets.length > 1) {
      all ??= new Set(wallets.flatMap((owned) => [...owned.keys()]))
      if (!all.has(owner)) return NOBODY
    }
    const entries: { wallet: number; unit: number }[] = []
    for (const [wallet, owned] of wallets.entries()) {
      const unit = owned.get(owner)
      if (unit !== undefined) entries.push({ wallet, unit })
    }
    index.set(owner, entries)
    return entries
  }
}

type Give = (wallet: number, coin: Coin, owners: readonly string[]) => void

/** Gives every wallet the amounts of a unit that it owns a part of. */
function createDealer(wallets: readonly OwnedAddresses[]) {
  const walletsOf = createOwnerIndex(wallets)
  let lookedAt = 0
  return async (amounts: readonly OwnedAmount[], unit: number, give: Give): Promise<void> => {
    for (const { owners, ...amount } of amounts) {
      const shares = sharesOf(owners, walletsOf)
      lookedAt += owners.length + shares.size
      for (const [wallet, { signers, firstUnit }] of shares) {
        if (firstUnit === unit) give(wallet, { ...amount, signers }, owners)
      }
      if (lookedAt < LOOKED_AT_PER_TURN) continue
      lookedAt = 0
      await nextTurn()
    }
  }
}

/** By wallet. */
function sharesOf(owners: readonly string[], walletsOf: OwnerIndex): Map<number, Share> {
  const shares = new Map<number, Share>()
  for (const owner of new Set(owners)) {
    for (const entry of walletsOf(owner)) {
      const share = shares.get(entry.wallet)
      if (share) {
        share.signers += 1
        share.firstUnit = Math.min(share.firstUnit, entry.unit)
      } else shares.set(entry.wallet, { signers: 1, firstUnit: entry.unit })
    }
  }
  return shares
}
