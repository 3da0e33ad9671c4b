import { expect, it, onTestFinished } from 'vitest'
import { balanceRoutes } from '../../../../src/api/data/primary/balances.ts'
import type { PrimaryDeps } from '../../../../src/api/data/primary/chain.ts'
import type { BalanceGroup } from '../../../../src/store/index.ts'
import { COMPLETE, id, owner, P, PRIMARY_PROGRESS, X } from '../asked-index.ts'
import { startDataApi } from '../data-app.ts'

const [AVAX, OTHER] = ['3', '4'].map((digit) => ({ id: digit.repeat(64), name: 'A', symbol: 'A', denomination: 9 }))

const group = (more: Partial<BalanceGroup>): BalanceGroup => ({
  asset: AVAX as BalanceGroup['asset'],
  kind: 'transfer',
  direction: 'native',
  otherChain: 'P',
  staking: 'none',
  platformLocked: false,
  stakeableLocked: false,
  lockedAfterStaking: false,
  amount: 1n,
  utxoCount: 1,
  ...more,
})

interface Shown {
  assetId: string
  amount: string
  utxoCount: number
  sharedWithChainId?: string
}

/** What is shown of these groups: amounts, or with asset and chain where there is more than one of either. */
async function balancesOf(place: string, groups: readonly BalanceGroup[]): Promise<Record<string, Shown[]>> {
  const index = { progress: PRIMARY_PROGRESS, balances: { groups: async () => groups } }
  const deps = { ...COMPLETE, index } as unknown as PrimaryDeps
  const app = await startDataApi(balanceRoutes({ ...deps, edge: 'strict' }))
  onTestFinished(() => app.close())
  return (await app.inject(`${place}/balances?addresses=${owner(1)}`)).json().balances
}

const amounts = (balances: Record<string, Shown[]>) =>
  Object.fromEntries(Object.entries(balances).map(([name, list]) => [name, list.map(({ amount }) => amount).join()]))

const BOTH = [false, true]

it('every output of P counts in one category, whatever holds it', async () => {
  const stakings = ['none', 'active', 'pending'] as const
  const groups = stakings.flatMap((staking) =>
    BOTH.flatMap((platformLocked) =>
      BOTH.flatMap((stakeableLocked) =>
        BOTH.map((lockedAfterStaking) => ({ staking, platformLocked, stakeableLocked, lockedAfterStaking })),
      ),
    ),
  )
  // Decimal digits, so that each group is seen in a sum; what is not staked is not locked after it.
  const counted = groups.map((one, at) => group({ ...one, amount: 10n ** BigInt(at) }))
  const sumOf = (wanted: (one: BalanceGroup) => boolean): string =>
    String(counted.filter(wanted).reduce((sum, { amount }) => sum + amount, 0n))
  const is = (staking: BalanceGroup['staking']) => (one: BalanceGroup) => one.staking === staking
  const none = is('none')
  const active = is('active')
  expect(amounts(await balancesOf(P, counted))).toEqual({
    unlockedUnstaked: sumOf((one) => none(one) && !one.platformLocked && !one.stakeableLocked),
    lockedPlatform: sumOf((one) => none(one) && one.platformLocked),
    lockedStakeable: sumOf((one) => none(one) && !one.platformLocked && one.stakeableLocked),
    unlockedStaked: sumOf((one) => active(one) && !one.lockedAfterStaking),
    lockedStaked: sumOf((one) => active(one) && one.lockedAfterStaking),
    pendingStaked: sumOf(is('pending')),
    atomicMemoryUnlocked: '',
    atomicMemoryLocked: '',
  })
})

it('shared memory is told chain by chain and asset by asset, where it can be imported; rights and nothing are no amounts', async () => {
  const asset = OTHER as BalanceGroup['asset']
  const balances = await balancesOf(X, [
    group({ direction: 'importable', amount: 5n, utxoCount: 2 }),
    group({ direction: 'importable', otherChain: 'C', amount: 70n }),
    group({ direction: 'importable', otherChain: 'C', amount: 700n, asset }),
    group({ direction: 'importable', otherChain: 'C', amount: 9n, platformLocked: true }),
    group({ direction: 'exported', otherChain: 'C', amount: 1_000n }),
    group({ kind: 'mint', amount: 3n }),
    group({ asset, amount: 0n, utxoCount: 0 }),
    group({ amount: 40n, platformLocked: true }),
    group({ amount: 2n }),
    group({ amount: 4n, utxoCount: 3 }),
  ])
  const brief = (list: Shown[] = []) =>
    list.map((one) => [one.assetId, one.amount, one.utxoCount, one.sharedWithChainId].filter((part) => part))
  expect(Object.fromEntries(Object.entries(balances).map(([name, list]) => [name, brief(list)]))).toEqual({
    unlocked: [[id('3'), '6', 4]],
    locked: [[id('3'), '40', 1]],
    atomicMemoryUnlocked: [
      [id('3'), '70', 1, id('2')],
      [id('3'), '5', 2, id('0')],
      [id('4'), '700', 1, id('2')],
    ],
    atomicMemoryLocked: [[id('3'), '9', 1, id('2')]],
  })
})
