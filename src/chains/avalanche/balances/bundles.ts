import { MAX_UTXO_ADDRESSES } from '../node/utxos.ts'
import type { OwnAddress } from './own-address.ts'

/** A wallet with its addresses understood. */
export interface ParsedWallet {
  id: string
  filterOutDust: boolean
  /** Each once, in the order given. */
  addresses: readonly OwnAddress[]
  extendedPublicKeys: readonly string[]
}

/**
 * Wallets that are read together, so that one read of the chain is one state of the chain for each of them. Small
 * wallets share a unit; a wallet with more than 1,024 addresses has a bundle of its own with several units.
 */
export interface Bundle {
  wallets: ParsedWallet[]
  /** At most 1,024 distinct addresses each; none when the wallets only have extended keys. */
  units: OwnAddress[][]
}

/** Fills bundles with wallets in their order. A wallet is never split over bundles. */
export function packBundles(wallets: readonly ParsedWallet[]): Bundle[] {
  const bundles: Bundle[] = []
  let open: { wallets: ParsedWallet[]; addresses: Map<string, OwnAddress> } | undefined
  const close = () => {
    if (open) bundles.push({ wallets: open.wallets, units: sliceUnits([...open.addresses.values()]) })
    open = undefined
  }
  for (const wallet of wallets) {
    const joined = open?.addresses
    const added = joined ? wallet.addresses.filter(({ hex }) => !joined.has(hex)).length : 0
    if (joined && joined.size + added > MAX_UTXO_ADDRESSES) close()
    open ??= { wallets: [], addresses: new Map() }
    open.wallets.push(wallet)
    for (const address of wallet.addresses)
      if (!open.addresses.has(address.hex)) open.addresses.set(address.hex, address)
  }
  close()
  return bundles
}

/** Cuts a list into units of at most 1,024. */
export function sliceUnits(addresses: readonly OwnAddress[]): OwnAddress[][] {
  const units: OwnAddress[][] = []
  for (let start = 0; start < addresses.length; start += MAX_UTXO_ADDRESSES) {
    units.push(addresses.slice(start, start + MAX_UTXO_ADDRESSES))
  }
  return units
}
