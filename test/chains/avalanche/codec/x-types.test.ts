import fc, { type Arbitrary } from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  assembleXTx,
  decodeUtxo,
  decodeXTx,
  encodeUtxo,
  encodeXBlock,
  encodeXTx,
  innerBlockId,
  type UnsignedXTx,
  type XTx,
  xGenesisBlock,
} from '../../../../src/chains/avalanche/codec/index.ts'
import { idFromCb58, idToCb58 } from '../../../../src/lib/bytes/ids.ts'
import { readWithAvalanchejs } from '../../../support/avalanche/avalanchejs-codec.ts'
import { recordedJson } from '../../../support/recorded/recordings.ts'
import {
  anyOutput,
  blob,
  few,
  id,
  nftTransfer,
  owners,
  plainInput,
  plainOutput,
  propertyMint,
  propertyOwned,
  secpCredential,
  secpMint,
  secpTransfer,
  text,
  u32,
  xCredential,
  xOutput,
} from './arbitraries.ts'

type Operation = Extract<UnsignedXTx, { type: 'OperationTx' }>['operations'][number]['operation']

const base = { networkId: u32, blockchainId: id, outputs: few(plainOutput), inputs: few(plainInput), memo: blob }
const input = fc.record({ sigIndices: few(u32) })

const operations: { [T in Operation['type']]: Arbitrary<Omit<Extract<Operation, { type: T }>, 'type'>> } = {
  'secp-mint-operation': fc.record({ input, mintOutput: secpMint, transferOutput: secpTransfer }),
  'nft-mint-operation': fc.record({ input, groupId: u32, payload: blob, owners: few(owners) }),
  'nft-transfer-operation': fc.record({ input, output: nftTransfer }),
  'property-mint-operation': fc.record({ input, mintOutput: propertyMint, ownedOutput: propertyOwned }),
  'property-burn-operation': fc.record({ input }),
}

function operationTx(types: readonly Operation['type'][]): Arbitrary<UnsignedXTx> {
  const operation = fc.oneof(
    ...types.map((type) => (operations[type] as Arbitrary<object>).map((body) => ({ type, ...body }) as Operation)),
  )
  const utxos = few(fc.record({ txId: id, outputIndex: u32 }))
  return fc.record({
    type: fc.constant('OperationTx' as const),
    ...base,
    operations: few(fc.record({ assetId: id, utxos, operation })),
  })
}

const createAsset = (output: typeof xOutput): Arbitrary<UnsignedXTx> =>
  fc.record({
    type: fc.constant('CreateAssetTx' as const),
    ...base,
    name: text,
    symbol: text,
    denomination: fc.nat({ max: 255 }),
    initialStates: few(fc.record({ fxIndex: u32, outputs: few(output) })),
  })

const transfers: Arbitrary<UnsignedXTx>[] = [
  fc.record({ type: fc.constant('BaseTx' as const), ...base }),
  fc.record({ type: fc.constant('ImportTx' as const), ...base, sourceChain: id, importedInputs: few(plainInput) }),
  fc.record({
    type: fc.constant('ExportTx' as const),
    ...base,
    destinationChain: id,
    exportedOutputs: few(plainOutput),
  }),
]

const signed = (tx: Arbitrary<UnsignedXTx>, credential: typeof xCredential): Arbitrary<XTx> =>
  fc.tuple(tx, few(credential)).map(([unsignedTx, credentials]) => assembleXTx(unsignedTx, credentials))

const withoutProperty = (output: Arbitrary<{ type: string }>) =>
  output.filter(({ type }) => !type.startsWith('property')) as typeof xOutput

describe('X transactions', () => {
  it('of every type and feature extension survive writing and reading', () => {
    const all = operationTx(Object.keys(operations) as Operation['type'][])
    fc.assert(
      fc.property(signed(fc.oneof(all, createAsset(xOutput), ...transfers), xCredential), (tx) => {
        expect(decodeXTx(encodeXTx(tx))).toEqual({ ...tx, bytes: new Uint8Array(tx.bytes) })
      }),
      { numRuns: 200 },
    )
  })

  it('are the bytes that avalanchejs reads and writes (it has no property extension)', () => {
    const known = operationTx(['secp-mint-operation', 'nft-mint-operation', 'nft-transfer-operation'])
    const txs = fc.oneof(known, createAsset(withoutProperty(xOutput)), ...transfers)
    fc.assert(
      fc.property(signed(txs, secpCredential), (tx) => {
        const bytes = encodeXTx(tx)
        const theirs = readWithAvalanchejs('AVM', bytes)
        expect(theirs.type).toBe(`avm.${tx.unsignedTx.type}`)
        expect(Buffer.compare(theirs.bytes, bytes)).toBe(0)
      }),
      { numRuns: 100 },
    )
  })

  it('keep names of any script byte for byte, and refuse bytes that are no UTF-8', () => {
    const unsignedTx = fc.sample(createAsset(xOutput), 1)[0] as Extract<UnsignedXTx, { type: 'CreateAssetTx' }>
    const tx = assembleXTx({ ...unsignedTx, name: 'Лавина 雪崩 🏔', symbol: '\uFFFD' }, [])
    const bytes = encodeXTx(tx)
    expect(decodeXTx(bytes).unsignedTx).toMatchObject({ name: 'Лавина 雪崩 🏔', symbol: '\uFFFD' })
    bytes[bytes.indexOf(Buffer.from('Лавина'))] = 0xff
    expect(() => decodeXTx(bytes)).toThrow(/CreateAssetTx: text is not UTF-8 at byte/)
  })
})

describe('UTXOs', () => {
  it('with any output survive writing and reading', () => {
    fc.assert(
      fc.property(fc.record({ txId: id, outputIndex: u32, assetId: id, output: anyOutput }), (utxo) => {
        expect(decodeUtxo(encodeUtxo(utxo))).toEqual(utxo)
      }),
    )
  })
})

describe('the linearised DAG', () => {
  const recorded = recordedJson<{ chains: { X: string } }>('network').chains.X
  it.each([
    // chain, Cortina time, stop vertex, block
    [
      recorded,
      1680793200n,
      '11111111111111111111111111111111LpoYY',
      '2gMfDTWHYVJ2K5QEaiRJnVTKva4g1fzHHNYmCxFMbpGePpYatx',
    ],
    [
      '2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed',
      1607144400n,
      undefined,
      '2R2UY2pZMQr8nR9ywCdqn97Lp5a6hceqtLXkag6vH7KQSVvmst',
    ],
    [
      '2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm',
      1680793200n,
      '2D1cmbiG36BqQMRyHt4kFhWarmatA1ighSpND3FeFgz3vFVtCZ',
      '2tCdy3dRsf6rYG7jtBNSyANQ6StrAEYpCDMLBQyGRLF8wG5KPK',
    ],
    [
      '2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM',
      1682434800n,
      'jrGWDh5Po9FMj54depyunNixpia5PN4aAYxfmNzU8n752Rjga',
      'V8kYdATLoVjUBazVjEHy1dWurk2PcnhERSWnwmcNwirdsBb1S',
    ],
  ])('of %s ends in its X genesis block', (chain, cortinaTime, stopVertex, block) => {
    const stopVertexId = stopVertex === undefined ? undefined : idFromCb58(stopVertex)
    const genesis = xGenesisBlock(idFromCb58(chain), cortinaTime, stopVertexId)
    expect(idToCb58(innerBlockId(encodeXBlock(genesis)))).toBe(block)
  })
})
