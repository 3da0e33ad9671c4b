import { expect, it } from 'vitest'
import { assembleXTx, type UnsignedXTx } from '../../../../src/chains/avalanche/codec/index.ts'
import { createSink } from '../../../../src/indexer/primary/sink.ts'
import { applyXTx } from '../../../../src/indexer/primary/x/effects.ts'
import { EMPTY_ID } from '../../../../src/lib/bytes/ids.ts'

const id = (digit: string): string => digit.repeat(64)
const ids = { networkId: 5, xChainId: id('b'), cChainId: id('c'), avaxAssetId: id('a') }
const input = (digit: string) => ({
  ...{ txId: id(digit), outputIndex: 0, assetId: id('a') },
  input: { type: 'secp-transfer', amount: 1n, sigIndices: [0] },
})
const burn = (...digits: string[]) => ({
  assetId: id('e'),
  utxos: digits.map((digit) => ({ txId: id(digit), outputIndex: 0 })),
  operation: { type: 'property-burn-operation', input: { sigIndices: [0] } },
})
const signature = (byte: number): string => Buffer.alloc(65, byte).toString('hex')

/** Who signed for what, by the transactions that made it; each credential is of another byte, counted from 1. */
function signed(unsigned: { type: string }, credentials: number): unknown[] {
  const base = { networkId: 5, blockchainId: ids.xChainId, outputs: [], memo: new Uint8Array() }
  const made = Array.from({ length: credentials }, (_, at) => ({
    type: 'secp-credential' as const,
    signatures: [new Uint8Array(Buffer.alloc(65, at + 1))],
  }))
  const sink = createSink()
  applyXTx(sink, ids, { height: 1n, time: 5n }, assembleXTx({ ...base, ...unsigned } as unknown as UnsignedXTx, made))
  return sink.spends.map(({ txId, signatures, importedFrom }) => [txId[0], signatures, importedFrom])
}

it('imported outputs were signed for behind the own ones', () => {
  const tx = { type: 'ImportTx', inputs: [input('1'), input('2')], sourceChain: EMPTY_ID, importedInputs: [input('3')] }
  expect(signed(tx, 3)).toEqual([
    ['1', signature(1), undefined],
    ['2', signature(2), undefined],
    ['3', signature(3), 'P'],
  ])
})

it('all outputs of an operation were signed for once, behind the inputs', () => {
  const tx = { type: 'OperationTx', inputs: [input('1')], operations: [burn('2', '3'), burn('4')] }
  expect(signed(tx, 3)).toEqual([
    ['1', signature(1), undefined],
    ['2', signature(2), undefined],
    ['3', signature(2), undefined],
    ['4', signature(3), undefined],
  ])
})
