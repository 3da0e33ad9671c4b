import { expect, it } from 'vitest'
import { readHeight } from '../../../../src/chains/avalanche/index.ts'
import { readSupply } from '../../../../src/indexer/primary/genesis/inferred/node-questions.ts'
import type { UpstreamPool } from '../../../../src/upstream/index.ts'
import { startTestPool } from '../../../support/upstream/upstream-pool.ts'

const questions: [string, (pool: UpstreamPool) => Promise<bigint>][] = [
  ['the height of P', (pool) => readHeight(pool, 'P', {})],
  ['the height of X', (pool) => readHeight(pool, 'X', {})],
  ['the height of C', (pool) => readHeight(pool, 'C', {})],
  ['the supply of P', (pool) => readSupply(pool, {})],
]

it.each(questions)('%s is of a moment after the question, not of another that is under way', async (_, ask) => {
  let asked = 0
  const answer = ({ method }: { method: string }) => {
    asked += 1
    if (method === 'eth_blockNumber') return `0x${asked}`
    return method === 'platform.getCurrentSupply' ? { supply: `${asked}` } : { height: `${asked}` }
  }
  const { pool } = await startTestPool([{ answer }])
  const told = await Promise.all([ask(pool), ask(pool)])
  expect(told.toSorted()).toEqual([1n, 2n])
})
