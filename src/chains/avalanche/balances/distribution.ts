import type { Coin, Holdings, OwnedAmount } from './coins.ts'
import type { UnitState } from './unit-reader.ts'

/**
 * Returns the number of the unit in which an address (hex) of the wallet is read; undefined if the wallet does not own
 * it. An output with several owners counts in the lowest of their units only, so overlapping lists never count twice.
 */
export interface OwnedAddresses {
  get(hex: string): number | undefined
}

/** Assigns the contents of units to the wallets that own them; an output that several wallets own counts in each. */
export function distribute(units: readonly UnitState[], wallets: readonly OwnedAddresses[]): Holdings[] {
  // Units list their sources in a fixed order; the order in which coins are found depends on the other wallets.
  const sources = [...new Set(units.flatMap(({ atomic }) => [...atomic.keys()]))]
  const holdings = wallets.map(
    (): Holdings => ({ own: [], atomic: new Map(sources.map((source) => [source, []])), staked: [] }),
  )
  const walletsOf = createOwnerIndex(wallets)
  units.forEach((state, unit) => {
    deal(state.own, unit, walletsOf, (wallet, coin) => holdings[wallet]?.own.push(coin))
    for (const [source, amounts] of state.atomic) {
      deal(amounts, unit, walletsOf, (wallet, coin) => {
        holdings[wallet]?.atomic.get(source)?.push(coin)
      })
    }
    deal(state.staked, unit, walletsOf, (wallet, coin, owners) => holdings[wallet]?.staked.push({ ...coin, owners }))
  })
  return holdings
}

interface Share {
  signers: number
  firstUnit: number
}

type OwnerIndex = (owner: string) => readonly { wallet: number; unit: number }[]

/** Filled for owners as they occur: only a few of a large wallet's addresses own anything. */
function createOwnerIndex(wallets: readonly OwnedAddresses[]): OwnerIndex {
  const index = new Map<string, { wallet: number; unit: number }[]>()
  return (owner) => {
    let entries = index.get(owner)
    if (!entries) {
      entries = []
      for (const [wallet, owned] of wallets.entries()) {
        const unit = owned.get(owner)
        if (unit !== undefined) entries.push({ wallet, unit })
      }
      index.set(owner, entries)
    }
    return entries
  }
}

function deal(
  amounts: readonly OwnedAmount[],
  unit: number,
  walletsOf: OwnerIndex,
  give: (wallet: number, coin: Coin, owners: readonly string[]) => void,
): void {
  for (const { owners, ...amount } of amounts) {
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
    for (const [wallet, { signers, firstUnit }] of shares) {
      if (firstUnit === unit) give(wallet, { ...amount, signers }, owners)
    }
  }
}
