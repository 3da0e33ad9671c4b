import { expect, it } from 'vitest'
import { decodePBlock, openContainer, type PTx } from '../../../src/chains/avalanche/codec/index.ts'
import { spendingTxs, spentKey } from '../../../src/services/spending-credentials/spending-inputs.ts'
import { ERAS, recordedLines } from '../../support/recorded/recordings.ts'

const isTx = (value: object): value is PTx => 'unsignedTx' in value

/** The transactions of a block, wherever it holds them. */
function txsIn(value: unknown): PTx[] {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return []
  return isTx(value) ? [value] : Object.values(value).flatMap(txsIn)
}

interface Spending {
  type: string
  inputs?: { txId: string; outputIndex: number }[]
  importedInputs?: { txId: string; outputIndex: number }[]
}

it('P: every output that a transaction of any kind of block spends is told, from Apricot on', () => {
  const spent = new Map<string, number>()
  for (const { hex } of recordedLines<{ hex?: string }>('p-chain', ERAS)) {
    if (hex === undefined) continue
    const bytes = Buffer.from(hex, 'hex')
    const block = decodePBlock(openContainer(bytes).innerBlock)
    const told = spendingTxs('P', bytes)
    for (const { id, unsignedTx } of txsIn(block)) {
      const { inputs = [], importedInputs = [] }: Spending = unsignedTx
      const keys = [...inputs, ...importedInputs].map(spentKey)
      expect([...(told.get(id)?.spent.keys() ?? [])]).toEqual(keys)
      spent.set(block.type, (spent.get(block.type) ?? 0) + keys.length)
    }
  }
  const kinds = ['ApricotProposalBlock', 'ApricotStandardBlock', 'BanffStandardBlock']
  for (const kind of kinds) expect([kind, spent.get(kind) ?? 0]).toEqual([kind, expect.toSatisfy((n) => n > 0)])
})
