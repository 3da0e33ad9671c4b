import { expect, it, onTestFinished } from 'vitest'
import { balanceRoutes } from '../../../../src/api/data/primary/balances.ts'
import type { PrimaryDeps } from '../../../../src/api/data/primary/chain.ts'
import { FIRST_X_BLOCKS } from '../../../../src/facts/first-x-blocks.ts'
import type { BalanceGroup, UtxoCursor, UtxoRecord } from '../../../../src/store/index.ts'
import { COMPLETE, owner, PRIMARY_PROGRESS, X } from '../asked-index.ts'
import { startDataApi } from '../data-app.ts'

const FIRST = 1_000_000n
const AVAX = '3'.repeat(64)
const PAGE = 1_024

/** Exported from P to X at a time, worth one. */
const exportedAt = (number: number, time: bigint): UtxoRecord => ({
  id: number.toString(16).padStart(64, '0'),
  txId: 'a'.repeat(64),
  outputIndex: number,
  asset: { id: AVAX, name: 'Avalanche', symbol: 'AVAX', denomination: 9 },
  kind: 'transfer',
  amount: 1n,
  addresses: ['0'.repeat(39).concat('1')],
  threshold: 1,
  locktime: 0n,
  createdOn: 'P',
  consumableOn: 'X',
  created: { height: 7n, time },
})

const importable = (utxoCount: number): BalanceGroup => ({
  asset: exportedAt(0, 0n).asset,
  kind: 'transfer',
  direction: 'importable',
  otherChain: 'P',
  staking: 'none',
  platformLocked: false,
  stakeableLocked: false,
  lockedAfterStaking: false,
  amount: BigInt(utxoCount),
  utxoCount,
})

/** What X says is importable of these, by rising time, of which nodes still have some; and how many pages were read for it. */
async function importableOf(utxos: readonly UtxoRecord[], still: (utxo: UtxoRecord) => boolean) {
  const chains = FIRST_X_BLOCKS as Map<string, bigint>
  chains.set('1'.repeat(64), FIRST)
  onTestFinished(() => void chains.delete('1'.repeat(64)))
  let pages = 0
  const list = async ({ after, limit }: { after?: UtxoCursor; limit: number }) => {
    pages += 1
    const from = after === undefined ? 0 : Number(after.value)
    const next = from + limit < utxos.length ? { next: { value: BigInt(from + limit), key: '' } } : {}
    return { utxos: utxos.slice(from, from + limit), ...next }
  }
  const deps = {
    ...COMPLETE,
    index: {
      progress: PRIMARY_PROGRESS,
      utxos: { list },
      balances: { groups: async () => [importable(utxos.length)] },
    },
    older: {
      of: async () => ({ outputs: [], still: new Set(utxos.filter(still).map((utxo) => utxo.id)) }),
      hold: async () => true,
    },
  } as unknown as PrimaryDeps
  const app = await startDataApi(balanceRoutes({ ...deps, edge: 'strict' }))
  onTestFinished(() => app.close())
  const { balances } = (await app.inject(`${X}/balances?addresses=${owner(1)}`)).json()
  const [shown] = balances.atomicMemoryUnlocked as { amount: string; utxoCount: number }[]
  return { amount: shown?.amount, utxoCount: shown?.utxoCount, pages }
}

const many = (count: number, time: (number: number) => bigint): UtxoRecord[] =>
  Array.from({ length: count }, (_, number) => exportedAt(number, time(number)))

it('what X spent before it had blocks is taken away on every page of it', async () => {
  const old = many(3 * PAGE, (number) => BigInt(number))
  expect(await importableOf(old, (utxo) => utxo.outputIndex % 1_000 === 0)).toEqual({
    amount: '4',
    utxoCount: 4,
    pages: 3,
  })
})

it('no page is read behind the one in which X went on with blocks', async () => {
  const mixed = many(4 * PAGE, (number) => (number < PAGE + 10 ? BigInt(number) : FIRST + 10_000n))
  const left = 3 * PAGE - 10
  expect(await importableOf(mixed, () => false)).toEqual({ amount: String(left), utxoCount: left, pages: 2 })
})

it('the moment in which X went on without blocks lies among what it made since', async () => {
  const made = (number: number): UtxoRecord => ({
    ...exportedAt(number, FIRST + 1n),
    createdOn: 'X',
    created: { height: 5n, time: FIRST + 1n },
  })
  const early = [
    ...many(PAGE - 1, () => FIRST),
    made(PAGE),
    ...many(5, () => FIRST + 2n).map((utxo, at) => ({ ...utxo, id: `${at}`.padStart(64, 'f') })),
  ]
  expect(await importableOf(early, () => false)).toEqual({ amount: '1', utxoCount: 1, pages: 2 })
})
