import type { Coin, Holdings, OwnedAmount } from './coins.ts'
import type { UnitState } from './unit-reader.ts'

/**
 * Tells of an address (hex) whether it is the wallet's, by the number of the unit it is read in. Something with several
 * owners is counted in the lowest of their units and skipped in the others, so overlapping lists never count twice.
 */
export interface OwnedAddresses {
  get(hex: string): number | undefined
}

/** Hands the contents of units to the wallets that own them; what several wallets own counts in each of them. */
export function distribute(units: readonly UnitState[], wallets: readonly OwnedAddresses[]): Holdings[] {
  // Units name them in one order; that in which coins are found depends on who else is read along with the wallet.
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

/** Asked for the owners that occur: few of a large wallet's addresses own anything. */
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
