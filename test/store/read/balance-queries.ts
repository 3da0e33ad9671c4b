import { expect, it } from 'vitest'
import { idToCb58 } from '../../../src/lib/bytes/ids.ts'
import type { BalanceGroup, ChainLetter, Store } from '../../../src/store/index.ts'
import { parseAddress } from '../recorded-rows.ts'
import { LETTERS, recordedChain, recordedTruth } from '../recorded-truth.ts'

/** Balances of a store that holds the recorded network. */
export function balanceQueries(store: () => Store): void {
  it('are right at every recorded past moment, with both edge rules', () => checkBalances(store()))
}

type Sums = Record<string, Record<string, string> | Record<string, Record<string, string>>>
interface TruthBalance {
  address: string
  time: number
  balances: Sums
  balancesCreatedStrictlyBefore?: Sums
}

async function checkBalances(store: Store): Promise<void> {
  for (const letter of LETTERS) {
    for (const sample of recordedTruth<Record<ChainLetter, TruthBalance[]>>('balances-at')[letter]) {
      const at = BigInt(sample.time)
      const query = { chain: recordedChain(letter), addresses: [parseAddress(sample.address)], at, locksAt: at }
      expect(categories(letter, await store.reader.balances.groups(query))).toEqual(only(sample.balances))
      const strict = sample.balancesCreatedStrictlyBefore
      if (strict === undefined) continue
      const groups = await store.reader.balances.groups({ ...query, edge: 'strict' })
      expect(categories(letter, groups)).toEqual(only(strict))
    }
  }
}

/** Categories that our groups are turned into; the recording has more views of the same numbers. */
const PLAIN = [
  'unlockedUnstaked',
  'lockedPlatform',
  'lockedStakeable',
  'unlockedStaked',
  'lockedStaked',
  'unlocked',
  'locked',
]
const ATOMIC = ['atomicMemoryUnlocked', 'atomicMemoryLocked', 'exportedAwaitingImport']

/** Coins that several have to sign for are a category of their own in the recording only. */
const groupedAs = (category: string): string =>
  category === 'unlockedUnstakedMultiSig' ? 'unlockedUnstaked' : category

/** One line per category, other chain (of shared memory) and asset. */
function only(balances: Sums): Map<string, bigint> {
  const sums = new Map<string, bigint>()
  const add = (key: string, amount: string): unknown => sums.set(key, (sums.get(key) ?? 0n) + BigInt(amount))
  for (const [recorded, amounts] of Object.entries(balances)) {
    const category = groupedAs(recorded)
    if (![...PLAIN, ...ATOMIC].includes(category)) continue
    for (const [key, value] of Object.entries(amounts)) {
      if (typeof value === 'string') add(`${category} ${key}`, value)
      else
        for (const [asset, amount] of Object.entries(value as Record<string, string>))
          add(`${category} ${key} ${asset}`, amount)
    }
  }
  return sums
}

function categories(letter: ChainLetter, groups: BalanceGroup[]): Map<string, bigint> {
  const sums = new Map<string, bigint>()
  for (const group of groups) {
    if (group.kind !== 'transfer') continue
    const category = categoryOf(letter, group)
    const place = ATOMIC.includes(category) ? [category, group.otherChain] : [category]
    const key = [...place, idToCb58(group.asset.id)].join(' ')
    sums.set(key, (sums.get(key) ?? 0n) + group.amount)
  }
  return sums
}

function categoryOf(letter: ChainLetter, group: BalanceGroup): string {
  if (group.direction === 'exported') return 'exportedAwaitingImport'
  if (group.direction === 'importable') return group.platformLocked ? 'atomicMemoryLocked' : 'atomicMemoryUnlocked'
  if (letter === 'X') return group.platformLocked ? 'locked' : 'unlocked'
  if (group.staking !== 'none') return group.lockedAfterStaking ? 'lockedStaked' : 'unlockedStaked'
  if (group.platformLocked) return 'lockedPlatform'
  return group.stakeableLocked ? 'lockedStakeable' : 'unlockedUnstaked'
}
