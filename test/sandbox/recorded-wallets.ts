import { parseBech32Address } from '../../src/lib/bytes/bech32-address.ts'
import type { Recordings } from '../support/replay-node/recorded/recordings.ts'

/** What an address of the recorded network owns at the end of the recording. */
export type Holding =
  | 'P'
  | 'X'
  | 'C atomic'
  | 'P atomic'
  | 'X atomic'
  | 'locked'
  | 'stakeable lock'
  | 'staked'
  | 'multisig'
  | 'other assets'
  | 'more than one page'

export interface SandboxWallet {
  /** What makes it interesting, in words. */
  name: string
  /** Bech32 without a chain's prefix: good on P, X and C. */
  address: string
  /** The same key's account on the C-chain; undefined when the recordings do not hold the key. */
  evmAddress: string | undefined
  has: Holding[]
}

interface UtxoLine {
  kind: string
  consumableOnChain: 'P' | 'X' | 'C'
  sharedMemory: boolean
  assetId: string
  addresses: string[]
  threshold: number
  locktime: number
  stakeableLocktime: number | null
  spendableAtHeight: number | null
  consumedAtHeight: number | null
}

/** UTXOs a node returns per page at most. */
const PAGE = 1024

function holdingsOf(utxo: UtxoLine, avax: string, now: number): Holding[] {
  const holdings: Holding[] = []
  if (utxo.kind === 'stake' && utxo.spendableAtHeight === null) return ['staked']
  const chain = utxo.consumableOnChain
  if (utxo.sharedMemory) holdings.push(`${chain} atomic`)
  else if (chain !== 'C') holdings.push(chain)
  if (utxo.addresses.length > 1) holdings.push('multisig')
  if (utxo.locktime > now) holdings.push('locked')
  if ((utxo.stakeableLocktime ?? 0) > now) holdings.push('stakeable lock')
  if (utxo.assetId !== avax) holdings.push('other assets')
  return holdings
}

function findHoldings(lines: Iterable<string>, avax: string, now: number): Map<string, Set<Holding>> {
  const owners = new Map<string, Set<Holding>>()
  const counts = new Map<string, number>()
  for (const line of lines) {
    const utxo = JSON.parse(line) as UtxoLine
    if (utxo.consumedAtHeight !== null) continue
    const found = holdingsOf(utxo, avax, now)
    for (const address of utxo.addresses) {
      const holdings = owners.get(address) ?? new Set<Holding>()
      for (const holding of found) holdings.add(holding)
      const place = `${address}${utxo.consumableOnChain}${utxo.sharedMemory}`
      counts.set(place, (counts.get(place) ?? 0) + 1)
      if ((counts.get(place) ?? 0) > PAGE) holdings.add('more than one page')
      owners.set(address, holdings)
    }
  }
  return owners
}

/** Puts those first that add most to what is shown already, so that a few lines show everything. */
function mostTellingFirst(wallets: SandboxWallet[]): SandboxWallet[] {
  const rest = [...wallets]
  const ordered: SandboxWallet[] = []
  const shown = new Set<Holding>()
  const gain = (wallet: SandboxWallet): number => wallet.has.filter((holding) => !shown.has(holding)).length
  while (rest.length > 0) {
    const best = rest.reduce((a, b) => (gain(b) > gain(a) ? b : a))
    rest.splice(rest.indexOf(best), 1)
    for (const holding of best.has) shown.add(holding)
    ordered.push(best)
  }
  return ordered
}

/** Without a truth about UTXOs: addresses that were read out at the end, with where they own something. */
function findOwners(lines: Iterable<string>): Map<string, Set<Holding>> {
  const owners = new Map<string, Set<Holding>>()
  for (const line of lines) {
    const { address, P, X } = JSON.parse(line) as { address: string } & Record<
      'P' | 'X',
      { utxos?: unknown[] } | undefined
    >
    const holdings = new Set<Holding>()
    if ((P?.utxos?.length ?? 0) > 0) holdings.add('P')
    if ((X?.utxos?.length ?? 0) > 0) holdings.add('X')
    if (holdings.size > 0) owners.set(address, holdings)
  }
  return owners
}

/** Wallets worth looking at, found in whatever files the recordings have; at least the funded keys'. */
export function recordedWallets(
  recordings: Recordings,
  network: { avaxAssetID: string; keys?: Record<string, { address: string; evmAddress: string }> },
): SandboxWallet[] {
  const utxos = recordings.lines('network/truth/utxos.ndjson.gz')
  const owners =
    utxos.length > 0
      ? findHoldings(utxos, network.avaxAssetID, endOf(recordings))
      : findOwners(recordings.lines('network/address-state.ndjson.gz'))
  const keys = new Map(Object.values(network.keys ?? {}).map((key) => [key.address, key.evmAddress]))
  if (owners.size === 0) for (const address of keys.keys()) owners.set(address, new Set())
  const wallets = [...owners].map(([address, holdings]) => {
    const has = [...holdings].sort()
    return { name: has.length > 0 ? has.join(', ') : address, address, evmAddress: keys.get(address), has }
  })
  return mostTellingFirst(wallets)
}

/** When the recording ended, seconds since 1970; now, if it does not tell. */
const endOf = (recordings: Recordings): number =>
  recordings.has('network/final-state.json')
    ? recordings.json<{ time: number }>('network/final-state.json').time
    : Math.floor(Date.now() / 1_000)

/** What stands before the bytes in the addresses of these wallets; undefined when there are none. */
export const prefixOf = ([first]: readonly SandboxWallet[]): string | undefined =>
  first === undefined ? undefined : parseBech32Address(first.address).hrp
