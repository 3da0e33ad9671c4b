import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { unsignedAtomicTx } from '../../../../src/chains/avalanche/codec/c/atomic-txs.ts'
import { encodeCHeader } from '../../../../src/chains/avalanche/codec/c/block.ts'
import { encodeRlpList } from '../../../../src/chains/avalanche/codec/c/rlp.ts'
import {
  type AtomicTx,
  type CHeader,
  decodeAtomicTx,
  decodeCBlock,
  decodeEnvelope,
  decodeExtData,
  type Envelope,
  encodeAtomicTx,
  encodeCBlock,
  encodeEnvelope,
  encodeExtData,
  envelopeId,
  nodeIdOfCertificate,
  openContainer,
} from '../../../../src/chains/avalanche/codec/index.ts'
import { assembleSignedTx } from '../../../../src/chains/avalanche/codec/signed-tx.ts'
import { sha256Hex } from '../../../../src/lib/bytes/sha256.ts'
import { readWithAvalanchejs } from '../../../support/avalanche/avalanchejs-codec.ts'
import { bytes, few, hex, id, plainInput, plainOutput, secpCredential, u32, u64 } from './arbitraries.ts'

const evmAmount = { address: bytes(20), amount: u64, assetId: id }
const atomicTx: fc.Arbitrary<AtomicTx> = fc
  .tuple(
    fc.oneof(
      fc.record({
        type: fc.constant('ImportTx' as const),
        networkId: u32,
        blockchainId: id,
        sourceChain: id,
        importedInputs: few(plainInput),
        outputs: few(fc.record(evmAmount)),
      }),
      fc.record({
        type: fc.constant('ExportTx' as const),
        networkId: u32,
        blockchainId: id,
        destinationChain: id,
        inputs: few(fc.record({ ...evmAmount, nonce: u64 })),
        exportedOutputs: few(plainOutput),
      }),
    ),
    few(secpCredential),
  )
  .map(([tx, credentials]) => assembleSignedTx(unsignedAtomicTx, tx, credentials))

describe('atomic transactions', () => {
  it('survive writing and reading, and avalanchejs reads and writes the same bytes', () => {
    fc.assert(
      fc.property(atomicTx, (tx) => {
        const encoded = encodeAtomicTx(tx)
        expect(decodeAtomicTx(encoded)).toEqual({ ...tx, bytes: new Uint8Array(tx.bytes) })
        expect(Buffer.compare(readWithAvalanchejs('EVM', encoded).bytes, encoded)).toBe(0)
      }),
    )
  })

  it('are found in both forms of extra data', () => {
    fc.assert(
      fc.property(atomicTx, fc.array(atomicTx, { minLength: 1, maxLength: 3 }), (only, many) => {
        const single = encodeExtData({ form: 'single', txs: [only] })
        expect(decodeExtData(single)).toMatchObject({ form: 'single', txs: [{ id: only.id }] })
        const batch = encodeExtData({ form: 'batch', txs: many })
        expect(decodeExtData(batch).form).toBe('batch')
        expect(decodeExtData(batch).txs.map((tx) => tx.id)).toEqual(many.map((tx) => tx.id))
      }),
    )
    expect(decodeExtData(new Uint8Array(0)).txs).toEqual([])
    expect(() => decodeExtData(Buffer.from('000000000001ff', 'hex'))).toThrow(/extra data/)
  })
})

describe('C-chain headers', () => {
  const wei = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })
  const required = {
    parentHash: id,
    uncleHash: id,
    coinbase: hex(20),
    stateRoot: id,
    transactionsRoot: id,
    receiptsRoot: id,
    logsBloom: hex(256),
    difficulty: wei,
    number: u64,
    gasLimit: u64,
    gasUsed: u64,
    time: u64,
    extraData: hex(80),
    mixHash: id,
    nonce: hex(8),
    extDataHash: id,
  }
  const extensions = {
    baseFee: wei,
    extDataGasUsed: wei,
    blockGasCost: wei,
    blobGasUsed: u64,
    excessBlobGas: u64,
    parentBeaconRoot: id,
    timeMilliseconds: u64,
    minDelayExcess: u64,
    targetExponent: u64,
    minPriceExponent: u64,
    settledHeight: u64,
    settledGasUnix: u64,
    settledGasNumerator: u64,
    settledExcess: u64,
  }

  it('of every upgrade survive writing and reading inside their block', () => {
    const names = Object.keys(extensions) as (keyof typeof extensions)[]
    for (let count = 0; count <= names.length; count++) {
      const present = Object.fromEntries(names.slice(0, count).map((name) => [name, extensions[name]]))
      const headers = fc.record({ ...required, ...present }) as fc.Arbitrary<CHeader>
      fc.assert(
        fc.property(headers, u32, fc.uint8Array({ maxLength: 300 }), (header, version, extData) => {
          const block = { id: '', header, transactions: [], uncles: [], version: BigInt(version), extData }
          const decoded = decodeCBlock(encodeCBlock(block))
          expect(decoded).toEqual({ ...block, id: decoded.id })
        }),
        { numRuns: 10 },
      )
    }
  })

  it('with fields of no known upgrade are refused', () => {
    const header = fc.sample(fc.record({ ...required, ...extensions }), 1)[0] as CHeader
    const block = { id: '', header, transactions: [], uncles: [], version: 0n, extData: new Uint8Array(0) }
    const encoded = encodeCBlock(block)
    expect(decodeCBlock(encoded).header).toEqual(header)
    // One more field, a zero, makes both lists a byte longer: heads are 3 bytes each here.
    const fields = encodeCHeader(header).subarray(3)
    const longer = [encodeRlpList([fields, Uint8Array.of(0x80)]), encoded.subarray(6 + fields.length)]
    expect(() => decodeCBlock(encodeRlpList(longer))).toThrow(/unknown header fields/)
  })
})

describe('RLP', () => {
  it.each([
    ['b84103', 'a cut long string'],
    ['8103', 'a single byte with a head'],
    ['b80100', 'a short string in long form'],
    ['bf7fffffffffffffff', 'a length of 8 bytes'],
    ['f90000', 'a length with a leading zero'],
    ['c3020304', 'a list that is no block'],
    ['', 'nothing'],
  ])('%s (%s) is refused', (encoded) => {
    expect(() => decodeCBlock(Buffer.from(encoded, 'hex'))).toThrow(/C-chain (block|header)/)
  })
})

describe('envelopes', () => {
  const content = fc.uint8Array({ minLength: 1, maxLength: 60 })
  const postFork = { parentId: id, timestamp: u64, pChainHeight: u64, certificate: content, innerBlock: content }
  const epoch = fc.record({ pChainHeight: u64, number: u64, startTime: u64 })
  const envelopes: fc.Arbitrary<Envelope> = fc.oneof(
    fc.record({ type: fc.constant('post-fork' as const), ...postFork, signature: content }),
    fc.record({ type: fc.constant('option' as const), parentId: id, innerBlock: content }),
    fc.record({ type: fc.constant('granite' as const), ...postFork, epoch, signature: content }),
  )

  it('survive writing and reading; their id leaves the signature out', () => {
    fc.assert(
      fc.property(envelopes, (envelope) => {
        const encoded = encodeEnvelope(envelope)
        expect(decodeEnvelope(encoded)).toEqual(envelope)
        if (envelope.type === 'option') {
          expect(envelopeId(envelope, encoded)).toBe(sha256Hex(encoded))
          return
        }
        const resigned = { ...envelope, signature: new Uint8Array(70) }
        expect(envelopeId(resigned, encodeEnvelope(resigned))).toBe(envelopeId(envelope, encoded))
        expect(openContainer(encoded).proposer).toBe(nodeIdOfCertificate(envelope.certificate))
      }),
    )
  })
})
