import { expect, it } from 'vitest'
import { assembleXTx, type UnsignedXTx, type XBlock } from '../../../../src/chains/avalanche/codec/index.ts'
import { createXApplier } from '../../../../src/indexer/primary/x/applier.ts'
import { EMPTY_ID } from '../../../../src/lib/bytes/ids.ts'

const id = (digit: string): string => digit.repeat(64)
const ids = { networkId: 7, xChainId: id('1'), cChainId: id('c'), avaxAssetId: id('a') }

const credential = (byte: number) => ({
  type: 'secp-credential' as const,
  signatures: [new Uint8Array(65).fill(byte)],
})
const signed = (byte: number): string => Buffer.alloc(65, byte).toString('hex')
const owners = { locktime: 0n, threshold: 1, addresses: [new Uint8Array(20)] }
const spent = (digit: string, outputIndex: number) => ({ txId: id(digit), outputIndex })

/** Two operations behind an input: one spends two outputs and burns them, one mints two outputs. */
const unsignedTx: UnsignedXTx = {
  type: 'OperationTx',
  networkId: ids.networkId,
  blockchainId: ids.xChainId,
  outputs: [{ assetId: id('a'), output: { type: 'secp-transfer', amount: 3n, ...owners } }],
  inputs: [{ ...spent('2', 0), assetId: id('a'), input: { type: 'secp-transfer', amount: 5n, sigIndices: [0] } }],
  memo: new Uint8Array(),
  operations: [
    {
      assetId: id('b'),
      utxos: [spent('3', 0), spent('3', 1)],
      operation: { type: 'property-burn-operation', input: { sigIndices: [0] } },
    },
    {
      assetId: id('d'),
      utxos: [spent('4', 0)],
      operation: {
        type: 'secp-mint-operation',
        input: { sigIndices: [0] },
        mintOutput: owners,
        transferOutput: { amount: 9n, ...owners },
      },
    },
  ],
} as UnsignedXTx

async function rowsOf(signatures: readonly number[], unsigned = unsignedTx) {
  const txs = [assembleXTx(unsigned, signatures.map(credential))]
  const place = { parentId: id('8'), height: 1n, time: 5n }
  const block = { type: 'StandardBlock', ...place, merkleRoot: id('0'), txs } as unknown as XBlock
  const { rows } = await createXApplier(ids, false).apply([{ ...place, id: id('9'), size: 1, block }])
  return { utxos: rows.primary?.utxos ?? [], spends: rows.primary?.spends ?? [] }
}

it('each operation has one credential, behind those of the inputs, for all outputs that it spends', async () => {
  const { spends, utxos } = await rowsOf([1, 2, 3])
  expect(spends.map(({ txId, outputIndex, signatures }) => [txId[0], outputIndex, signatures])).toEqual([
    ['2', 0, signed(1)],
    ['3', 0, signed(2)],
    ['3', 1, signed(2)],
    ['4', 0, signed(3)],
  ])
  expect(utxos.map(({ outputIndex, assetId, kind }) => [outputIndex, assetId[0], kind])).toEqual([
    [0, 'a', 'transfer'],
    [1, 'd', 'mint'],
    [2, 'd', 'transfer'],
  ])
})

it('an operation without a credential spends its outputs all the same, and nobody is said to have signed', async () => {
  const { spends } = await rowsOf([1, 2])
  expect(spends.map(({ signatures }) => signatures)).toEqual([signed(1), signed(2), signed(2), undefined])
})

it('imported outputs were signed for behind the own ones', async () => {
  const { operations: _, inputs, ...base } = unsignedTx as UnsignedXTx & { operations: unknown }
  const importedInputs = [{ ...inputs[0], ...spent('5', 0) }]
  const imports = { ...base, type: 'ImportTx', inputs, sourceChain: EMPTY_ID, importedInputs } as unknown as UnsignedXTx
  const { spends } = await rowsOf([1, 2], imports)
  expect(spends.map(({ txId, signatures, importedFrom }) => [txId[0], signatures, importedFrom])).toEqual([
    ['2', signed(1), undefined],
    ['5', signed(2), 'P'],
  ])
})
