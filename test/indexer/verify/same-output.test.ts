import { expect, it } from 'vitest'
import { decodePTx } from '../../../src/chains/avalanche/codec/index.ts'
import { compareOutput } from '../../../src/indexer/verify/same-output.ts'
import { decodeNodeHex } from '../../../src/lib/bytes/node-hex.ts'
import type { SampledOutput } from '../../../src/store/index.ts'
import { recordedLines } from '../../support/recorded/recordings.ts'
import { startStage } from '../stage.ts'

const REFUNDERS = new Set<string>(['SetL1ValidatorWeightTx', 'DisableL1ValidatorTx'])

it('what is left of an L1 validator’s balance is the output behind those that its transaction names', async () => {
  const stage = await startStage({ chains: ['P'] })
  await stage.caughtUp()
  await stage.indexer.stop()
  const txs = recordedLines<{ hex: string }>('p-txs').map(({ hex }) => decodePTx(decodeNodeHex(hex)))
  const refunders = new Set(txs.flatMap(({ id, unsignedTx }) => (REFUNDERS.has(unsignedTx.type) ? [id] : [])))
  const rows = await stage.sql('select utxo::text as key from utxo where created_time is not null')
  const paid: SampledOutput[] = []
  for (const { key } of rows) {
    const one = await stage.store.reader.samples.outputFrom('recorded', String(key).replaceAll('-', ''))
    if (one && refunders.has(one.output.txId)) paid.push(one)
  }
  const compare = (one: SampledOutput) =>
    compareOutput({ pool: stage.pool, name: 'recorded' }, one, new AbortController().signal)
  // Each has its change and what is paid back.
  const last = paid.filter(({ output }) => output.outputIndex > 0)
  expect(last.length).toBe(3)
  for (const one of paid) expect(await compare(one)).toEqual([])
  for (const { output, entries } of last) {
    const further = { output: { ...output, outputIndex: output.outputIndex + 1 }, entries }
    expect((await compare(further)).join()).toMatch(/the node has no such output/)
  }
})
