import { expect, test } from 'vitest'
import type { Holdings } from '../../../../src/chains/avalanche/balances/coins.ts'
import { summarizeEach } from '../../../../src/chains/avalanche/balances/summaries.ts'
import { readUnit } from '../../../../src/chains/avalanche/balances/unit-reader.ts'
import type { JsonText } from '../../../../src/upstream/json-rpc/json-text.ts'
import type { UpstreamPool } from '../../../../src/upstream/types.ts'
import { turnsWhile } from '../../../support/waiting/turns.ts'
import { secpUtxo } from '../ledger-data.ts'
import { hex, text } from '../ledger-sources.ts'

/** A node at no distance: only the work on its answers can leave turns to others. */
function nearPool(pages: readonly (readonly string[])[]): Pick<UpstreamPool, 'name' | 'rpc'> {
  let page = 0
  return {
    name: 'near',
    rpc: async <T>(_path: string, _method: string, params: unknown) => {
      const utxos = (params as JsonText).text.includes('sourceChain') ? [] : (pages[page++] ?? [])
      const endIndex = { address: text(1), utxo: String(page) }
      return { numFetched: String(utxos.length), utxos, endIndex } as T
    },
  }
}

/** Anybody can send anybody a hundred thousand outputs. */
test('outputs of many pages are taken apart in several turns', async () => {
  const utxo = secpUtxo(hex(1), 5n)
  const page = (): string[] => Array.from({ length: 1_024 }, () => secpUtxo(hex(1), 5n))
  const pool = nearPool([page(), page(), page(), page(), page(), [utxo]]) as UpstreamPool
  const address = { hex: hex(1), text: text(1) }
  const { value, turns } = await turnsWhile(() => readUnit(pool, 'X', [address], { sameServer: {} }))
  expect(value.state.own).toHaveLength(5 * 1_024 + 1)
  expect(turns).toBeGreaterThan(2)
})

test('many wallets with many outputs are summed up in several turns', async () => {
  const coin = { assetId: 'aa', amount: 5n, locktime: 0n, stakeableUntil: 0n, threshold: 1, signers: 1 }
  const holdings: Holdings = { own: Array.from({ length: 1_000 }, () => coin), atomic: new Map(), staked: [] }
  const wallets = Array.from({ length: 20 }, () => ({ holdings }))
  const { value, turns } = await turnsWhile(() =>
    summarizeEach(wallets, ({ holdings: { own } }, at) => ({ ok: true, value: [at, own.length] })),
  )
  expect(value).toEqual(wallets.map((_, at) => ({ ok: true, value: [at, 1_000] })))
  expect(turns).toBeGreaterThan(5)
})
