import { expect, it } from 'vitest'
import { evmEffects } from '../../../src/indexer/evm/evm-effects.ts'
import type { RpcBlock, RpcReceipt } from '../../../src/indexer/evm/rpc-block.ts'
import { recordedLines } from '../../support/recorded/recordings.ts'

interface Recorded {
  block: RpcBlock
  receipts: RpcReceipt[]
}

const L1 = new URL('../../fixtures/l1/', import.meta.url)
const BUILDER = 'fe'.repeat(20)
/** Where the recorded chains send what is paid for gas. */
const BURNT = '0100000000000000000000000000000000000000'

const paid = (blocks: string, folder?: URL): Recorded => {
  const found = recordedLines<Recorded>(blocks, folder).find(({ receipts }) => receipts.length > 0)
  if (!found) throw new Error(`no transaction in ${blocks}`)
  return found
}

const participants = ({ block, receipts }: Recorded, changes: Partial<RpcBlock> = {}): string[] =>
  (evmEffects([{ block: { ...block, ...changes }, receipts, names: new Map() }], 0n).rows.participants ?? []).map(
    ({ address }) => address,
  )

it('who is given what an L1 takes for gas takes part', () => {
  const block = paid('l1-blocks', L1)
  const others = participants(block)
  expect(participants(block, { miner: `0x${BUILDER}` })).toEqual([...others, BUILDER])
})

it('where an L1 burns what it takes for gas, nobody takes part by that', () => {
  const block = paid('l1-blocks', L1)
  expect(block.block.miner).toBe(`0x${BURNT}`)
  expect(participants(block)).not.toContain(BURNT)
})

it('without transactions there is nothing to give', () => {
  const empty = recordedLines<Recorded>('l1-blocks', L1).find(({ receipts }) => receipts.length === 0)
  expect(participants(empty as Recorded, { miner: `0x${BUILDER}` })).toEqual([])
})

it.each([
  ['C', paid('c-blocks').block],
  ['a chain that is not of Avalanche', { ...paid('l1-blocks', L1).block, blockGasCost: undefined }],
])('whom the header of %s names takes no part by that', (_, block) => {
  const receipts = (block.extDataHash === undefined ? paid('l1-blocks', L1) : paid('c-blocks')).receipts
  expect(participants({ block: block as RpcBlock, receipts }, { miner: `0x${BUILDER}` })).not.toContain(BUILDER)
})
