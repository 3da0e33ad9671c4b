import { expect, test } from 'vitest'
import { readUnit } from '../../../../src/chains/avalanche/balances/unit-reader.ts'
import { secpUtxo } from '../ledger-data.ts'
import { hex, text, useLedger } from '../ledger-sources.ts'

const { pool, put } = useLedger()
const address = (n: number) => ({ hex: hex(n), text: text(n) })

test.each(['P', 'X'] as const)(
  'a reading of other addresses, of which %s has nothing, is no reading of these',
  async (chain) => {
    put(chain, secpUtxo(hex(2), 5n))
    put(`${chain}←C`, secpUtxo(hex(2), 7n))
    const of = (n: number, before?: Awaited<ReturnType<typeof readUnit>>) =>
      readUnit(pool(), chain, [address(n)], { sameServer: {} }, before)
    const { state } = await of(2, await of(1))
    const amounts = [state.own, state.atomic.get('C') ?? []].map((list) => list.map(({ amount }) => amount))
    expect(amounts).toEqual([[5n], [7n]])
  },
)
