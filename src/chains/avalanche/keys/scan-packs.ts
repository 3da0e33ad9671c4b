import type { OwnAddress, OwnAddresses } from '../balances/own-address.ts'
import { MAX_UTXO_ADDRESSES } from '../node/utxos.ts'
import type { ScanPack } from './key-scan.ts'

/** What one wallet needs read in one state: its keys, each in one text, and its single addresses. */
export interface ScanItem {
  /** The same for all items that need the same. */
  mark: string
  keys: readonly string[]
  addresses: OwnAddresses
}

/** Items that are read together. */
export interface ItemPack extends ScanPack {
  items: readonly ScanItem[]
}

interface OpenPack {
  items: ScanItem[]
  keys: Set<string>
  addresses: readonly OwnAddress[]
  /** Hex of all addresses; while they are those of one item, its own set: copying 250,000 would block other requests. */
  hexes: ReadonlySet<string>
  size: number
}

/**
 * Packs items together as long as the first windows of all keys and the single addresses fit into one getUTXOs. An item
 * is never split; an item joins the pack that already has one of its keys, if it fits there.
 * @param sizeOf number of addresses in the first windows of a key
 */
export function packItems(items: readonly ScanItem[], sizeOf: (key: string) => number): ItemPack[] {
  const packs: OpenPack[] = []
  // Items with several parts come first: single keys among them are then read with them.
  const ordered = [...items.filter((item) => !isSingle(item)), ...items.filter(isSingle)]
  for (const item of ordered) {
    const related = packs.find(({ keys }) => item.keys.some((key) => keys.has(key)))
    const pack = [related, packs.at(-1)].find(
      (one) => one && one.size + addedBy(item, one, sizeOf) <= Math.max(MAX_UTXO_ADDRESSES, one.size),
    )
    if (pack) join(pack, item, sizeOf)
    else packs.push(join({ items: [], keys: new Set(), addresses: [], hexes: new Set(), size: 0 }, item, sizeOf))
  }
  return packs.map(({ items: packed, keys, addresses }) => ({ items: packed, keys: [...keys], addresses }))
}

const isSingle = ({ keys, addresses }: ScanItem): boolean => keys.length === 1 && addresses.list.length === 0

const newcomers = ({ addresses }: ScanItem, { hexes }: OpenPack): readonly OwnAddress[] =>
  hexes.size === 0 ? addresses.list : addresses.list.filter(({ hex }) => !hexes.has(hex))

function addedBy(item: ScanItem, pack: OpenPack, sizeOf: (key: string) => number): number {
  const windows = item.keys.reduce((sum, key) => (pack.keys.has(key) ? sum : sum + sizeOf(key)), 0)
  return windows + newcomers(item, pack).length
}

function join(pack: OpenPack, item: ScanItem, sizeOf: (key: string) => number): OpenPack {
  pack.size += addedBy(item, pack, sizeOf)
  pack.items.push(item)
  for (const key of item.keys) pack.keys.add(key)
  const added = newcomers(item, pack)
  if (added.length === 0) return pack
  const isFirst = pack.addresses.length === 0
  pack.addresses = isFirst ? added : [...pack.addresses, ...added]
  pack.hexes = isFirst ? item.addresses.hexes : new Set([...pack.hexes, ...item.addresses.hexes])
  return pack
}
