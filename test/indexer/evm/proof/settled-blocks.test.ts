import { expect, it } from 'vitest'
import { createBlockProof } from '../../../../src/indexer/evm/proof/index.ts'
import type { RpcBlock, RpcReceipt } from '../../../../src/indexer/evm/rpc-block.ts'
import { RENEWALS, recordedLines } from '../../../support/recorded/recordings.ts'

// C since Helicon: a block is executed after it was accepted, and its header tells of earlier ones that it settles.

interface Facts {
  block: RpcBlock
  receipts: RpcReceipt[]
}

const recorded = (): Facts[] => recordedLines<Facts>('c-blocks', RENEWALS)

function look({ block, receipts }: Facts, proof = createBlockProof(true)): void {
  proof.expectBlock(block)
  proof.expectReceipts(block, receipts)
}

const hasBits = (bloom = '0x'): boolean => /[1-9a-f]/i.test(bloom.slice(2))
const logsOf = (receipts: readonly RpcReceipt[]): number => receipts.reduce((sum, { logs }) => sum + logs.length, 0)

it('believes blocks whose root and filter are those of the blocks that they settle', () => {
  const all = recorded()
  const proof = createBlockProof()
  for (const facts of all) look(facts, proof)
  expect(proof.hashes).toBe(true)
  expect(all.filter(({ block, receipts }) => logsOf(receipts) === 0 && hasBits(block.logsBloom))).not.toEqual([])
  expect(all.filter(({ block, receipts }) => logsOf(receipts) > 0 && !hasBits(block.logsBloom))).not.toEqual([])
})

const LIES: Record<string, (receipts: RpcReceipt[]) => unknown> = {
  'all logs of a receipt': ([first]) => Object.assign(first ?? {}, { logs: [] }),
  'which token': ([first]) => Object.assign(first?.logs[0] ?? {}, { address: `0x${'12'.repeat(20)}` }),
  'a receipt left out': (receipts) => receipts.pop(),
  'the order of receipts': (receipts) => receipts.reverse(),
  gas: ([first]) => Object.assign(first ?? {}, { gasUsed: '0x1' }),
  'a price above what was offered': ([first]) => Object.assign(first ?? {}, { effectiveGasPrice: '0xffffffffff' }),
  'which block': ([first]) => Object.assign(first ?? {}, { blockHash: `0x${'34'.repeat(32)}` }),
}

it.each(Object.entries(LIES))('does not believe lies about %s', (_, tell) => {
  const facts = recorded().find(({ receipts }) => receipts.length > 1 && (receipts[0]?.logs.length ?? 0) > 0)
  if (!facts) throw new Error('no such block')
  look(facts)
  const lie = structuredClone(facts)
  tell(lie.receipts)
  expect(() => look(lie)).toThrow()
})
