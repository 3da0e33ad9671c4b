import type { Coin, World } from './world.ts'

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
  return { native: text(waiting.filter(isAvax(world))), categories: atomicItems(world, 'C', ['X', 'P'], owned) }
}

const isAvax =
  ({ facts }: World) =>
  ({ asset }: Coin): boolean =>
    asset === facts.avax
const sum = (coins: readonly Coin[]): bigint => coins.reduce((all, { amount }) => all + amount, 0n)
const text = (coins: readonly Coin[]): string => String(sum(coins))
const signers = (coin: Coin, owned: ReadonlySet<string>): number => coin.owners.filter((one) => owned.has(one)).length

const coinsOf = (world: World, memory: string, owned: ReadonlySet<string>): Coin[] =>
  (world.coins.get(memory) ?? []).filter((coin) => signers(coin, owned) > 0)

function platform(world: World, owned: ReadonlySet<string>, dustOut: boolean): ExpectedBalances {
  const own = coinsOf(world, 'P', owned).filter((coin) => isAvax(world)(coin) && !(dustOut && coin.amount < 2_000_000n))
  const staked = world.stakes.flatMap(({ end, outputs }) =>
    outputs.filter((coin) => isAvax(world)(coin) && signers(coin, owned) > 0).map((coin) => ({ end, coin })),
  )
  const { now } = world.facts
  const lockedPlatform = own.filter(({ locktime }) => locktime > now)
  const lockedStakeable = own.filter(({ locktime, until }) => locktime <= now && until > now)
  const open = own.filter(({ locktime, until }) => locktime <= now && until <= now)
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

const cannotSign =
  ({ facts: { now } }: World, owned: ReadonlySet<string>) =>
  (coin: Coin): boolean =>
    coin.locktime > now || coin.until > now || signers(coin, owned) < coin.threshold

function atomicSums(world: World, owned: ReadonlySet<string>) {
  const maps: Record<'atomicMemoryUnlocked' | 'atomicMemoryLocked', Record<string, string>> = {
    atomicMemoryUnlocked: {},
    atomicMemoryLocked: {},
  }
  for (const source of ['X', 'C'] as const) {
    const coins = coinsOf(world, `P←${source}`, owned).filter(isAvax(world))
    const locked = coins.filter(cannotSign(world, owned))
    const unlocked = coins.filter((coin) => !cannotSign(world, owned)(coin))
    if (unlocked.length > 0) maps.atomicMemoryUnlocked[world.facts.chainIds[source]] = text(unlocked)
    if (locked.length > 0) maps.atomicMemoryLocked[world.facts.chainIds[source]] = text(locked)
  }
  return maps
}

function exchange(world: World, owned: ReadonlySet<string>): ExpectedBalances {
  const own = coinsOf(world, 'X', owned)
  return {
    native: text(own.filter(isAvax(world))),
    categories: {
      unlocked: items(
        world,
        own.filter((coin) => !cannotSign(world, owned)(coin)),
      ),
      locked: items(world, own.filter(cannotSign(world, owned))),
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
    const unlocked = items(
      world,
      coins.filter((coin) => !cannotSign(world, owned)(coin)),
    )
    const locked = items(world, coins.filter(cannotSign(world, owned)))
    if (unlocked.length > 0) maps.atomicMemoryUnlocked[world.facts.chainIds[source]] = unlocked
    if (locked.length > 0) maps.atomicMemoryLocked[world.facts.chainIds[source]] = locked
  }
  return maps
}

/** One item for each asset: AVAX first, then by id. */
function items({ facts }: World, coins: readonly Coin[]) {
  const assets = [...new Set(coins.map(({ asset }) => asset))]
  return assets
    .map((asset) => ({ ...facts.described(asset), balance: text(coins.filter((coin) => coin.asset === asset)) }))
    .sort((a, b) => (a.type === b.type ? (`${a.assetId}` < `${b.assetId}` ? -1 : 1) : a.type === 'native' ? -1 : 1))
}
