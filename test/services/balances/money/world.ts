import { idToCb58 } from '../../../../src/lib/bytes/ids.ts'
import { AVAX, CHAIN_IDS, emptyLedger, secpUtxo, stakerOf, utxoOf } from '../../../chains/avalanche/ledger-data.ts'
import type { Ledger } from '../../../chains/avalanche/ledger-node.ts'
import type { Random } from '../../../support/generated/random.ts'
import { KEYS, MANY, PLAIN } from './holders.ts'

/** Unix seconds by which locks are judged. */
export const NOW = 1_000_000

/** An output with an amount, as plain as can be. Owners are hex. */
export interface Coin {
  asset: string
  amount: bigint
  locktime: bigint
  /** 0 = not bound to staking. */
  until: bigint
  threshold: number
  owners: string[]
}

export interface Stake {
  end: number
  outputs: Coin[]
}

export interface Facts {
  /** Unix seconds by which locks are judged. */
  now: number
  /** Asset id of AVAX, hex. */
  avax: string
  chainIds: Record<'P' | 'X' | 'C', string>
  /** How an asset (hex) is shown. */
  described(hex: string): { assetId: string; name: string; symbol: string; decimals: number; type: string }
}

/** Everything that is on one network, by memory: `P`, or `P←X` for what waits on P and came from X. */
export interface World {
  facts: Facts
  coins: Map<string, Coin[]>
  stakes: Stake[]
}

export const MEMORIES = ['P', 'X', 'P←X', 'P←C', 'X←P', 'X←C', 'C←X', 'C←P'] as const

/** Hex ids of assets: AVAX, and two others. */
export const ASSETS = {
  avax: AVAX,
  token: 'bb'.repeat(32),
  whole: 'cc'.repeat(32),
} as const

const named = (hex: string) => ({ assetId: idToCb58(hex), name: idToCb58(hex), symbol: idToCb58(hex) })

/** Assets with blank names are called by their id. */
function described(hex: string) {
  if (hex === ASSETS.avax) return { ...named(hex), name: 'Avalanche', symbol: 'AVAX', decimals: 9, type: 'native' }
  if (hex === ASSETS.token) return { ...named(hex), name: 'Token', symbol: 'TOK', decimals: 6, type: 'unknown' }
  return { ...named(hex), decimals: 0, type: 'unknown' }
}

const FACTS: Facts = { now: NOW, avax: AVAX, chainIds: CHAIN_IDS, described }

const HOLDERS = [...PLAIN, ...KEYS.flatMap(({ used }) => used)]

function amountOf(random: Random): bigint {
  const edges = [1n, 1_999_999n, 2_000_000n, 2_000_001n, 1n << 53n, (1n << 53n) + 1n, (1n << 62n) + 3n]
  return random.chance(0.4) ? random.pick(edges) : BigInt(random.below(2 ** 40)) + 1n
}

const timeOf = (random: Random): bigint =>
  random.chance(0.6) ? 0n : BigInt(NOW + random.pick([-1_000, -1, 0, 1, 500, 1_000]))

export function coinOf(random: Random, memory: string, holders: readonly string[] = HOLDERS): Coin {
  const owners = random.some(holders, random.chance(0.65) ? 1 : random.between(2, 4))
  const onP = memory.startsWith('P')
  return {
    asset: random.chance(0.6) ? ASSETS.avax : random.pick([ASSETS.token, ASSETS.whole]),
    amount: amountOf(random),
    locktime: timeOf(random),
    until: onP && random.chance(0.2) ? BigInt(NOW + random.pick([-1, 0, 1, 700, 2_000])) : 0n,
    threshold: random.between(1, owners.length),
    owners,
  }
}

function stakeOf(random: Random, ends: readonly number[]): Stake {
  const outputs = random.list(random.between(1, 3), () => ({ ...coinOf(random, 'P'), asset: ASSETS.avax }))
  for (const output of outputs) output.amount = BigInt(random.pick([5, 7, 11])) * 1_000_000_000n
  // Two equal outputs, in one stake or in two, are two.
  if (random.chance(0.4)) outputs.push({ ...(outputs[0] as Coin) })
  return { end: random.pick(ends), outputs }
}

/** One network; `large` adds an address with several pages of UTXOs, and owners among thousands of addresses. */
export function makeWorld(random: Random, large: boolean): World {
  const coins = new Map<string, Coin[]>(
    MEMORIES.map((memory) => [memory, random.list(random.between(0, 40), () => coinOf(random, memory))]),
  )
  // Every address in use is in use: scans need to find them whatever else is drawn.
  for (const { used } of KEYS) {
    for (const owner of used) {
      const memory = random.pick(['P', 'X', 'P←X', 'X←C'])
      coins.get(memory)?.push({ ...coinOf(random, memory), owners: [owner], threshold: 1 })
    }
  }
  if (large) {
    for (const memory of ['P', 'X', 'C←X']) {
      const whale = [PLAIN[0] as string, ...(random.chance(0.5) ? [PLAIN[1] as string] : [])]
      const dealt = random.list(random.pick([1_024, 1_025, 2_100]), () => ({
        ...coinOf(random, memory),
        owners: [...whale],
        threshold: random.between(1, whale.length),
      }))
      const spread = random.list(60, () => coinOf(random, memory, MANY))
      coins.get(memory)?.push(...dealt, ...spread)
    }
  }
  const stakes = random.list(random.between(0, 8), () => stakeOf(random, [NOW + 400, NOW + 600, NOW + 1_000]))
  return { facts: FACTS, coins, stakes }
}

const optionsOf = ({ asset, locktime, until, threshold }: Coin) => ({
  assetId: asset,
  locktime,
  threshold,
  ...(until > 0n ? { stakeableUntil: until } : {}),
})

/** Encodes a coin; what is no amount lies beside it, so that counting it would show. */
const utxosOf = (coin: Coin): string[] => [
  secpUtxo(coin.owners, coin.amount, optionsOf(coin)),
  ...(coin.amount % 5n === 0n
    ? [
        utxoOf(coin.asset, {
          type: 'secp-mint',
          locktime: 0n,
          threshold: 1,
          addresses: coin.owners.map((owner) => Buffer.from(owner, 'hex')),
        }),
      ]
    : []),
]

/** The world as a node holds it. */
export function ledgerOf(world: World, hrp: string, networkId: number): Ledger {
  const ledger = { ...emptyLedger(), hrp, networkId }
  fillMemories(ledger, world)
  ledger.assets.set(idToCb58(ASSETS.token), { name: 'Token', symbol: 'TOK', denomination: '6' })
  ledger.assets.set(idToCb58(ASSETS.whole), { name: ' ', symbol: '', denomination: '0' })
  const nodes = new Map<string, number>()
  for (const [index, { end, outputs }] of world.stakes.entries()) {
    // A delegator ends before its validator does: each validator has at most one.
    const validator = [...nodes].find(([, last]) => last >= end)?.[0]
    const nodeId = validator ?? `NodeID-${index}`
    const kind = validator === undefined ? 'validator' : 'delegator'
    if (validator === undefined) nodes.set(nodeId, end)
    else nodes.delete(validator)
    const staked = outputs.map((coin) => ({ owners: coin.owners, amount: coin.amount, ...optionsOf(coin) }))
    ledger.stakers.push(stakerOf({ endTime: end, kind, nodeId, outputs: staked }))
  }
  return ledger
}

export function fillMemories(ledger: Ledger, world: World): void {
  ledger.memories.clear()
  for (const [memory, coins] of world.coins) ledger.memories.set(memory, coins.flatMap(utxosOf))
}
