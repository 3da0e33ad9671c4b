import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { decodePTx } from '../../../../src/chains/avalanche/codec/index.ts'
import { decodeNodeHex } from '../../../../src/lib/bytes/node-hex.ts'
import { openRecordings } from '../recorded/recordings.ts'
import { genesisJson } from './genesis-json.ts'
import { genesisTransactions } from './genesis-transactions.ts'

const fixtures = new URL('../../../fixtures/', import.meta.url)

/** What avalanchego 1.15 answered for the X-chain and a validator of a genesis, in both encodings. */
const TOLD = JSON.parse(readFileSync(new URL('genesis-transactions.json', fixtures), 'utf8')) as {
  hex: string
  json: string
}[]

it('writes transactions of a genesis as a node does', () => {
  expect(TOLD).toHaveLength(2)
  for (const { hex, json } of TOLD) expect(genesisJson(decodePTx(decodeNodeHex(hex)))).toBe(json)
})

it('has each of them under its id, with what a validator stakes', () => {
  const all = [...genesisTransactions(openRecordings(fixtures.pathname))]
  const told = all.map(([id, { json }]) => ({ id, ...JSON.parse(json ?? '{}') }))
  expect(told.map(({ id }) => id)).toEqual(all.map(([id]) => id))
  const staked = told.flatMap(({ unsignedTx }) => (unsignedTx.stake ? [unsignedTx] : []))
  expect(staked.length).toBeGreaterThan(1)
  for (const { validator, stake } of staked) {
    const amounts: number[] = stake.map(({ output }: { output: { amount: number } }) => output.amount)
    expect(amounts.reduce((sum, one) => sum + one, 0)).toBe(validator.weight)
  }
})
