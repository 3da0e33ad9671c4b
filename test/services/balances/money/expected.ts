import { idToCb58 } from '../../../../src/lib/ids.ts'
import { CHAIN_IDS } from '../../../chains/avalanche/ledger-data.ts'
import { ASSETS, type Coin, NOW, type World } from './world.ts'

/** What a wallet should be told, as the balance spec has it: worked out from the coins, with nothing of our own code. */
export interface ExpectedBalances {
  native: string
  categories: Record<string, unknown>
}

export type Side = 'P' | 'X' | 'C'

/** @param owned hex of every address of the wallet */
export function expectedBalances(
  world: World,
  chain: Side,
  owned: ReadonlySet<string>,
  dustOut: boolean,
): ExpectedBalances {
  if (chain === 'P') return platform(world, owned, dustOut)
  if (chain === 'X') return exchange(world, owned)
  const waiting = ['C←X', 'C←P'].flatMap((memory) => coinsOf(world, memory, owned))
  return { native: text(waiting.filter(isAvax)), categories: atomicItems(world, 'C', ['X', 'P'], owned) }
}

const isAvax = ({ asset }: Coin): boolean => asset === ASSETS.avax
const sum = (coins: readonly Coin[]): bigint => coins.reduce((all, { amount }) => all + amount, 0n)
const text = (coins: readonly Coin[]): string => String(sum(coins))
const signers = (coin: Coin, owned: ReadonlySet<string>): number => coin.owners.filter((one) => owned.has(one)).length

const coinsOf = (world: World, memory: string, owned: ReadonlySet<string>): Coin[] =>
  (world.coins.get(memory) ?? []).filter((coin) => signers(coin, owned) > 0)

function platform(world: World, owned: ReadonlySet<string>, dustOut: boolean): ExpectedBalances {
  const own = coinsOf(world, 'P', owned).filter((coin) => isAvax(coin) && !(dustOut && coin.amount < 2_000_000n))
  const staked = world.stakes.flatMap(({ end, outputs }) =>
    outputs.filter((coin) => isAvax(coin) && signers(coin, owned) > 0).map((coin) => ({ end, coin })),
  )
  const lockedPlatform = own.filter(({ locktime }) => locktime > NOW)
  const lockedStakeable = own.filter(({ locktime, until }) => locktime <= NOW && until > NOW)
  const open = own.filter(({ locktime, until }) => locktime <= NOW && until <= NOW)
  // Locked when the stake ends.
  const stays = ({ end, coin }: (typeof staked)[number]): boolean => coin.locktime > end || coin.until > end
  const outputs = (entries: typeof staked): string => text(entries.map(({ coin }) => coin))
  return {
    native: text([...own, ...staked.map(({ coin }) => coin)]),
    categories: {
      unlockedStaked: outputs(staked.filter((entry) => !stays(entry))),
      unlockedUnstaked: text(open.filter(({ threshold }) => threshold === 1)),
      unlockedUnstakedMultiSig: text(open.filter(({ threshold }) => threshold > 1)),
      lockedStaked: outputs(staked.filter(stays)),
      lockedPlatform: text(lockedPlatform),
      lockedStakeable: text(lockedStakeable),
      restakedRewards: '0',
      ...atomicSums(world, owned),
    },
  }
}

const cannotSign = (coin: Coin, owned: ReadonlySet<string>): boolean =>
  coin.locktime > NOW || coin.until > NOW || signers(coin, owned) < coin.threshold

function atomicSums(world: World, owned: ReadonlySet<string>) {
  const maps: Record<'atomicMemoryUnlocked' | 'atomicMemoryLocked', Record<string, string>> = {
    atomicMemoryUnlocked: {},
    atomicMemoryLocked: {},
  }
  for (const source of ['X', 'C'] as const) {
    const coins = coinsOf(world, `P←${source}`, owned).filter(isAvax)
    const locked = coins.filter((coin) => cannotSign(coin, owned))
    const unlocked = coins.filter((coin) => !cannotSign(coin, owned))
    if (unlocked.length > 0) maps.atomicMemoryUnlocked[CHAIN_IDS[source]] = text(unlocked)
    if (locked.length > 0) maps.atomicMemoryLocked[CHAIN_IDS[source]] = text(locked)
  }
  return maps
}

function exchange(world: World, owned: ReadonlySet<string>): ExpectedBalances {
  const own = coinsOf(world, 'X', owned)
  return {
    native: text(own.filter(isAvax)),
    categories: {
      unlocked: items(own.filter((coin) => !cannotSign(coin, owned))),
      locked: items(own.filter((coin) => cannotSign(coin, owned))),
      ...atomicItems(world, 'X', ['P', 'C'], owned),
    },
  }
}

function atomicItems(world: World, chain: Side, sources: readonly Side[], owned: ReadonlySet<string>) {
  const maps: Record<'atomicMemoryUnlocked' | 'atomicMemoryLocked', Record<string, unknown[]>> = {
    atomicMemoryUnlocked: {},
    atomicMemoryLocked: {},
  }
  for (const source of sources) {
    const coins = coinsOf(world, `${chain}←${source}`, owned)
    const unlocked = items(coins.filter((coin) => !cannotSign(coin, owned)))
    const locked = items(coins.filter((coin) => cannotSign(coin, owned)))
    if (unlocked.length > 0) maps.atomicMemoryUnlocked[CHAIN_IDS[source]] = unlocked
    if (locked.length > 0) maps.atomicMemoryLocked[CHAIN_IDS[source]] = locked
  }
  return maps
}

const named = (hex: string) => ({ assetId: idToCb58(hex), name: idToCb58(hex), symbol: idToCb58(hex) })
const DESCRIBED: Record<string, { name: string; symbol: string; decimals: number; type: string; assetId: string }> = {
  [ASSETS.avax]: { ...named(ASSETS.avax), name: 'Avalanche', symbol: 'AVAX', decimals: 9, type: 'native' },
  [ASSETS.token]: { ...named(ASSETS.token), name: 'Token', symbol: 'TOK', decimals: 6, type: 'unknown' },
  // Blank names and assets that nobody describes are called by their id.
  [ASSETS.whole]: { ...named(ASSETS.whole), decimals: 0, type: 'unknown' },
  [ASSETS.unknown]: { ...named(ASSETS.unknown), decimals: 0, type: 'unknown' },
}

/** One item for each asset: AVAX first, then by id. */
function items(coins: readonly Coin[]) {
  const assets = [...new Set(coins.map(({ asset }) => asset))]
  return assets
    .map((asset) => ({ ...DESCRIBED[asset], balance: text(coins.filter((coin) => coin.asset === asset)) }))
    .sort((a, b) => (a.type === b.type ? (`${a.assetId}` < `${b.assetId}` ? -1 : 1) : a.type === 'native' ? -1 : 1))
}
