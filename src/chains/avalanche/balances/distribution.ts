import type { Coin, Holdings, OwnedAmount } from './coins.ts'
import type { UnitState } from './unit-reader.ts'

/**
 * A wallet's addresses (hex), each with the number of the unit it is read in. Something with several owners is counted
 * in the lowest of their units and skipped in the others, so overlapping lists never count twice.
 */
export type OwnedAddresses = ReadonlyMap<string, number>

/** Hands the contents of units to the wallets that own them; what several wallets own counts in each of them. */
export function distribute(units: readonly UnitState[], wallets: readonly OwnedAddresses[]): Holdings[] {
  const holdings = wallets.map((): Holdings => ({ own: [], atomic: new Map(), staked: [] }))
  const walletsOf = indexOwners(wallets)
  units.forEach((state, unit) => {
    deal(state.own, unit, walletsOf, (wallet, coin) => holdings[wallet]?.own.push(coin))
    for (const [source, amounts] of state.atomic) {
      deal(amounts, unit, walletsOf, (wallet, coin) => {
        const atomic = holdings[wallet]?.atomic
        const coins = atomic?.get(source)
        if (coins) coins.push(coin)
        else atomic?.set(source, [coin])
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

type OwnerIndex = Map<string, { wallet: number; unit: number }[]>

function indexOwners(wallets: readonly OwnedAddresses[]): OwnerIndex {
  const index: OwnerIndex = new Map()
  wallets.forEach((owned, wallet) => {
    for (const [hex, unit] of owned) {
      const entries = index.get(hex)
      if (entries) entries.push({ wallet, unit })
      else index.set(hex, [{ wallet, unit }])
    }
  })
  return index
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
      for (const entry of walletsOf.get(owner) ?? []) {
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
