import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { DescribedAsset } from '../../../../src/chains/avalanche/assets.ts'
import { avmBalances, corethBalances } from '../../../../src/chains/avalanche/balances/asset-classes.ts'
import type { Coin, Holdings, StakedCoin } from '../../../../src/chains/avalanche/balances/coins.ts'
import { type PvmRules, pvmBalances } from '../../../../src/chains/avalanche/balances/pvm-classes.ts'
import type { AssetAmount } from '../../../../src/chains/capabilities.ts'
import { BadAnswerError } from '../../../../src/errors.ts'

/** Sorts behind the other asset: AVAX comes first because it is AVAX. */
const AVAX = 'zz'
const TOKEN = 'bb'
const NOW = 1_000n

/** Times around now, amounts around the dust threshold and far beyond 2^53. */
const time = fc.oneof(fc.constantFrom(0n, 1n, 999n, 1_000n, 1_001n), fc.bigInt({ min: 0n, max: 3_000n }))
const amount = fc.oneof(
  fc.constantFrom(1n, 1_999_999n, 2_000_000n, 2_000_001n, 2n ** 64n - 1n),
  fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }),
)
const coin: fc.Arbitrary<Coin> = fc.record({
  assetId: fc.constantFrom(AVAX, AVAX, TOKEN),
  amount,
  locktime: time,
  stakeableUntil: time,
  threshold: fc.integer({ min: 1, max: 3 }),
  signers: fc.integer({ min: 1, max: 3 }),
})
const staked: fc.Arbitrary<StakedCoin> = coin.map((entry) => ({ ...entry, owners: ['11'] }))
const coins = fc.array(coin, { maxLength: 30 })
const holdings: fc.Arbitrary<Holdings> = fc.record({
  own: coins,
  atomic: fc.record({ X: coins, C: coins }).map(({ X, C }) => new Map([['X', X] as const, ['C', C] as const])),
  staked: fc.array(staked, { maxLength: 10 }),
})

const rules = (change: Partial<PvmRules> = {}): PvmRules => ({
  avaxAssetId: AVAX,
  now: NOW,
  filterOutDust: false,
  locked: new Set(),
  restakedRewards: 0n,
  blockchainIdOf: (chain) => `id of ${chain}`,
  ...change,
})
const assetRules = {
  avaxAssetId: AVAX,
  now: NOW,
  blockchainIdOf: (chain: string) => `id of ${chain}`,
  assets: new Map([AVAX, TOKEN].map((id) => [id, { assetId: id, name: id, symbol: id, decimals: 9 }])),
}

/** Whether a coin in shared memory cannot be imported now, whichever chain it waits for. */
const waits = ({ locktime, stakeableUntil, threshold, signers }: Coin) =>
  locktime > NOW || stakeableUntil > NOW || threshold > signers

const sum = (entries: readonly { amount: bigint }[]) => entries.reduce((total, entry) => total + entry.amount, 0n)
const total = (amounts: Record<string, bigint>) => Object.values(amounts).reduce((all, value) => all + value, 0n)
const avax = <C extends Coin>(entries: readonly C[]) => entries.filter(({ assetId }) => assetId === AVAX)
const itemSum = (items: readonly AssetAmount[], id: string) =>
  items.filter(({ assetId }) => assetId === id).reduce((all, { balance }) => all + balance, 0n)

describe('P', () => {
  test('every AVAX coin lands in exactly one class, other assets in none', () => {
    fc.assert(
      fc.property(holdings, (held) => {
        const all = pvmBalances(held, rules())
        const unstaked = all.unlockedUnstaked + all.unlockedUnstakedMultiSig + all.lockedPlatform + all.lockedStakeable
        expect(unstaked).toBe(sum(avax(held.own)))
        expect(all.unlockedStaked + all.lockedStaked).toBe(sum(avax(held.staked)))
        expect(all.native).toBe(sum(avax(held.own)) + sum(avax(held.staked)))
        expect(total(all.atomicMemoryLocked) + total(all.atomicMemoryUnlocked)).toBe(
          sum(avax([...held.atomic.values()].flat())),
        )
      }),
    )
  })

  test('a coin alone is in the class that its locks, in the order of the node, and owners say', () => {
    fc.assert(
      fc.property(coin, (entry) => {
        const { native, atomicMemoryLocked, atomicMemoryUnlocked, ...classes } = pvmBalances(
          { own: [{ ...entry, assetId: AVAX }], atomic: new Map(), staked: [] },
          rules(),
        )
        const expected =
          entry.locktime > NOW
            ? 'lockedPlatform'
            : entry.stakeableUntil > NOW
              ? 'lockedStakeable'
              : entry.threshold > 1
                ? 'unlockedUnstakedMultiSig'
                : 'unlockedUnstaked'
        for (const [name, value] of Object.entries(classes)) expect(value).toBe(name === expected ? entry.amount : 0n)
      }),
    )
  })

  test('dust leaves unstaked coins below the threshold out, and nothing else changes', () => {
    fc.assert(
      fc.property(holdings, (held) => {
        const kept = { ...held, own: held.own.filter(({ amount: nAvax }) => nAvax >= 2_000_000n) }
        expect(pvmBalances(held, rules({ filterOutDust: true }))).toEqual(pvmBalances(kept, rules()))
      }),
    )
  })

  test('stakes go by what was found about their end', () => {
    fc.assert(
      fc.property(holdings, fc.func(fc.boolean()), (held, isLocked) => {
        const locked = new Set(held.staked.filter((_, index) => isLocked(index)))
        const all = pvmBalances(held, rules({ locked }))
        expect(all.lockedStaked).toBe(sum(avax([...locked])))
        expect(all.unlockedStaked).toBe(sum(avax(held.staked)) - sum(avax([...locked])))
      }),
    )
  })

  test('shared memory is locked by either time, or where owners other than the wallet have to sign', () => {
    fc.assert(
      fc.property(holdings, (held) => {
        const { atomicMemoryLocked, atomicMemoryUnlocked } = pvmBalances(held, rules({ filterOutDust: true }))
        for (const [source, coins] of held.atomic) {
          const [locked, open] = [avax(coins).filter(waits), avax(coins).filter((coin) => !waits(coin))]
          expect(atomicMemoryLocked[`id of ${source}`] ?? 0n).toBe(sum(locked))
          expect(atomicMemoryUnlocked[`id of ${source}`] ?? 0n).toBe(sum(open))
        }
      }),
    )
  })

  test('restaked rewards are part of the total when known, and left out when not', () => {
    const held: Holdings = { own: [], atomic: new Map(), staked: [] }
    expect(pvmBalances(held, rules({ restakedRewards: 7n }))).toMatchObject({ native: 7n, restakedRewards: 7n })
    expect(pvmBalances(held, rules({ restakedRewards: undefined }))).not.toHaveProperty('restakedRewards')
  })

  test('shared memory is keyed by the other chain and empty chains are left out', () => {
    const held: Holdings = { own: [], staked: [], atomic: new Map() }
    held.atomic.set('X', []).set('C', [single(5n)])
    expect(pvmBalances(held, rules())).toMatchObject({
      atomicMemoryUnlocked: { 'id of C': 5n },
      atomicMemoryLocked: {},
    })
  })

  const single = (nAvax: bigint): Coin => ({
    assetId: AVAX,
    amount: nAvax,
    locktime: 0n,
    stakeableUntil: 0n,
    threshold: 1,
    signers: 1,
  })
})

describe('X and C', () => {
  test('sums per asset are kept, AVAX alone is native', () => {
    fc.assert(
      fc.property(holdings, (held) => {
        const { unlocked, locked, native } = avmBalances(held, assetRules)
        for (const id of [AVAX, TOKEN]) {
          const all = held.own.filter(({ assetId }) => assetId === id)
          const isLocked = ({ locktime, threshold, signers }: Coin) => locktime > NOW || threshold > signers
          expect(itemSum(locked, id)).toBe(sum(all.filter(isLocked)))
          expect(itemSum(unlocked, id)).toBe(sum(all) - sum(all.filter(isLocked)))
        }
        expect(native).toBe(sum(avax(held.own)))
        for (const items of [unlocked, locked]) {
          expect(new Set(items.map(({ assetId }) => assetId)).size).toBe(items.length)
          for (const { assetId, type } of items) expect(type).toBe(assetId === AVAX ? 'native' : 'unknown')
          if (items.some(({ type }) => type === 'native')) expect(items[0]?.type).toBe('native')
        }
      }),
    )
  })

  test('who owns an asset that nobody knows is an error, and nobody else', () => {
    const error = new BadAnswerError('no node knows it')
    const unknown = { ...assetRules, assets: new Map<string, DescribedAsset>([...assetRules.assets, [TOKEN, error]]) }
    fc.assert(
      fc.property(holdings, (held) => {
        const owns = held.own.concat(...held.atomic.values()).some(({ assetId }) => assetId === TOKEN)
        if (owns) expect(() => avmBalances(held, unknown)).toThrow(error)
        else expect(avmBalances(held, unknown)).toEqual(avmBalances(held, assetRules))
      }),
    )
  })

  test('what waits for C is AVAX over both maps, every asset in one of them', () => {
    fc.assert(
      fc.property(holdings, (held) => {
        const { native, atomicMemoryLocked, atomicMemoryUnlocked } = corethBalances(held, assetRules)
        const all = [...held.atomic.values()].flat()
        expect(native).toBe(sum(avax(all)))
        const items = [atomicMemoryLocked, atomicMemoryUnlocked].flatMap((map) => Object.values(map).flat())
        for (const id of [AVAX, TOKEN]) {
          expect(itemSum(items, id)).toBe(sum(all.filter(({ assetId }) => assetId === id)))
        }
      }),
    )
  })

  test('shared memory of X and of C is locked by the rules of P', () => {
    fc.assert(
      fc.property(holdings, (held) => {
        for (const { atomicMemoryLocked, atomicMemoryUnlocked } of [
          avmBalances(held, assetRules),
          corethBalances(held, assetRules),
        ]) {
          for (const [source, coins] of held.atomic) {
            for (const id of [AVAX, TOKEN]) {
              const all = coins.filter(({ assetId }) => assetId === id)
              expect(itemSum(atomicMemoryLocked[`id of ${source}`] ?? [], id)).toBe(sum(all.filter(waits)))
              expect(itemSum(atomicMemoryUnlocked[`id of ${source}`] ?? [], id)).toBe(
                sum(all.filter((coin) => !waits(coin))),
              )
            }
          }
        }
      }),
    )
  })

  test('the order of coins does not show', () => {
    fc.assert(
      fc.property(holdings, (held) => {
        const turned = { ...held, own: held.own.toReversed() }
        expect(avmBalances(turned, assetRules)).toEqual(avmBalances(held, assetRules))
      }),
    )
  })
})
