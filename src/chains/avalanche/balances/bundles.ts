import { inChunks } from '../../../lib/in-chunks.ts'
import { MAX_UTXO_ADDRESSES } from '../node/utxos.ts'
import type { OwnAddress, OwnAddresses } from './own-address.ts'

/** A wallet with its addresses parsed. */
export interface ParsedWallet {
  id: string
  filterOutDust: boolean
  addresses: OwnAddresses
  extendedPublicKeys: readonly string[]
}

/** A wallet with keys is read by the key scanner, its addresses included, in one state; no bundle reads them. */
export const hasKeys = ({ extendedPublicKeys }: ParsedWallet): boolean => extendedPublicKeys.length > 0

/** The addresses of a wallet that a bundle has to read. */
const bundled = (wallet: ParsedWallet): OwnAddresses => (hasKeys(wallet) ? NOTHING : wallet.addresses)
const NOTHING: OwnAddresses = { list: [], hexes: new Set() }

/**
 * Wallets that are read together, so that one read shows one state of the chain for each of them. Small wallets share a
 * unit; a wallet with more than 1,024 addresses has its own bundle with several units.
 */
export interface Bundle {
  wallets: ParsedWallet[]
  /** At most 1,024 distinct addresses each; none if all wallets have extended keys. */
  units: OwnAddress[][]
}

interface OpenBundle {
  wallets: ParsedWallet[]
  addresses: OwnAddress[]
  /** Hex of all addresses. While all come from one wallet, this is that wallet's own set and must not be changed. */
  hexes: ReadonlySet<string>
  /** This bundle's own set, once a second wallet has added addresses. */
  union: Set<string> | undefined
}

/** Fills bundles with wallets in order. A wallet is never split over bundles. */
export function packBundles(wallets: readonly ParsedWallet[]): Bundle[] {
  const bundles: OpenBundle[] = []
  for (const wallet of wallets) {
    const open = bundles.at(-1)
    const added = open && newcomers(open, wallet)
    if (open && added) join(open, wallet, added)
    else bundles.push(openWith(wallet))
  }
  return bundles.map((bundle) => ({ wallets: bundle.wallets, units: sliceUnits(bundle.addresses) }))
}

const openWith = (wallet: ParsedWallet): OpenBundle => ({
  wallets: [wallet],
  addresses: [...bundled(wallet).list],
  hexes: bundled(wallet).hexes,
  union: undefined,
})

/** Addresses that a wallet would add to a bundle; undefined when they do not fit. */
function newcomers({ addresses, hexes }: OpenBundle, wallet: ParsedWallet): OwnAddress[] | undefined {
  const added: OwnAddress[] = []
  if (addresses.length > MAX_UTXO_ADDRESSES) return undefined
  for (const address of bundled(wallet).list) {
    if (hexes.has(address.hex)) continue
    if (addresses.length + added.length === MAX_UTXO_ADDRESSES) return undefined
    added.push(address)
  }
  return added
}

function join(open: OpenBundle, wallet: ParsedWallet, added: readonly OwnAddress[]): void {
  open.wallets.push(wallet)
  if (added.length === 0) return
  const union = open.union ?? new Set(open.hexes)
  for (const address of added) {
    union.add(address.hex)
    open.addresses.push(address)
  }
  open.union = union
  open.hexes = union
}

/** Cuts a list into units of at most 1,024. */
export const sliceUnits = (addresses: readonly OwnAddress[]): OwnAddress[][] => inChunks(addresses, MAX_UTXO_ADDRESSES)
