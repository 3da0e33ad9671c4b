import { fileURLToPath } from 'node:url'
import { type ReplayNode, startReplayNode } from '../support/replay-node/index.ts'
import { openRecordings } from '../support/replay-node/recordings.ts'

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

export interface SandboxAvalanche {
  /** Base URL of the node, without a slash at the end. */
  url: string
  node: ReplayNode
  networkName: string
  /** Chain id of the recorded C-chain. */
  evmChainId: number
  /** EVM endpoint of the recorded L1; undefined when there is none. */
  l1: { url: string; chainId: number; blockchainID: string } | undefined
  /** Every address that owns something; the first ones together show every kind of holding. */
  wallets: SandboxWallet[]
  stop(): Promise<void>
}

interface NetworkFile {
  networkName: string
  evmChainId: number
  avaxAssetID: string
  keys: Record<string, { address: string; evmAddress: string }>
}

interface L1File {
  blockchainID: string
  chainId: number
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

const FIXTURES = fileURLToPath(new URL('../fixtures', import.meta.url))
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

function describeWallets(folder: string): { network: NetworkFile; l1: L1File | undefined; wallets: SandboxWallet[] } {
  const recordings = openRecordings(folder)
  const network = recordings.json<NetworkFile>('network/network.json')
  const { time } = recordings.json<{ time: number }>('network/final-state.json')
  const owners = findHoldings(recordings.lines('network/truth/utxos.ndjson.gz'), network.avaxAssetID, time)
  const keys = new Map(Object.values(network.keys).map((key) => [key.address, key.evmAddress]))
  const wallets = [...owners].map(([address, holdings]) => {
    const has = [...holdings].sort()
    return { name: has.join(', '), address, evmAddress: keys.get(address), has }
  })
  const l1 = recordings.has('l1/l1.json') ? recordings.json<L1File>('l1/l1.json') : undefined
  return { network, l1, wallets: mostTellingFirst(wallets) }
}

/**
 * Serves a recorded network (default: the fixtures) as the sandbox's Avalanche node and says which of its addresses
 * are worth looking at. Rejects when the folder holds no recordings.
 */
export async function startSandboxAvalanche(options: { recordings?: string } = {}): Promise<SandboxAvalanche> {
  const folder = options.recordings ?? FIXTURES
  const { network, l1, wallets } = describeWallets(folder)
  const node = await startReplayNode({ recordings: folder })
  return {
    url: node.url,
    node,
    networkName: network.networkName,
    evmChainId: network.evmChainId,
    l1:
      l1 === undefined
        ? undefined
        : { url: `${node.url}/ext/bc/${l1.blockchainID}/rpc`, chainId: l1.chainId, blockchainID: l1.blockchainID },
    wallets,
    stop: () => node.stop(),
  }
}
