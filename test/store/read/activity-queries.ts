import { expect, it } from 'vitest'
import type { ChainLetter, Store } from '../../../src/store/index.ts'
import { recordedLines } from '../../support/recorded/recordings.ts'
import { hexId, parseAddress } from '../recorded-rows.ts'
import { recordedChain } from '../recorded-truth.ts'

/** Last activity of a store that holds the recorded network. */
export function activityQueries(store: () => Store): void {
  it('is the recorded one for every address and chain', () => checkActivity(store()))
}

interface TruthActivity {
  address: string
  chain: ChainLetter
  mode: string
  last: { time: number; height: number }
  lastTxs: string[]
  lastUtxos: string[]
}

async function checkActivity(store: Store): Promise<void> {
  for (const entry of recordedLines<TruthActivity>('truth/activity').filter(({ mode }) => mode === 'scope')) {
    const last = await store.reader.activity.last(recordedChain(entry.chain), [parseAddress(entry.address)])
    expect(Number(last?.time)).toBe(entry.last.time)
    expect(entry.lastUtxos.map(hexId)).toContain(last?.utxoId)
    expect(entry.lastTxs.map(hexId)).toContain(last?.txId)
  }
  expect(await store.reader.activity.last(recordedChain('P'), ['5a'.repeat(20)])).toBeUndefined()
}
