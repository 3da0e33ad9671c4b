import { describe, expect, it } from 'vitest'
import {
  blockHeight,
  cBlockId,
  cTransactionHash,
  decodeAtomicTx,
  decodeCBlock,
  decodeEnvelope,
  decodeExtData,
  decodePBlock,
  decodePTx,
  decodeXBlock,
  decodeXTx,
  encodeAtomicTx,
  encodeCBlock,
  encodeEnvelope,
  encodeExtData,
  encodePBlock,
  encodePTx,
  encodeXBlock,
  encodeXTx,
  innerBlockId,
  openContainer,
} from '../../../../src/chains/avalanche/codec/index.ts'
import { formatNodeId, idToCb58 } from '../../../../src/lib/bytes/ids.ts'
import { decodeNodeHex } from '../../../../src/lib/bytes/node-hex.ts'
import { recordedLines } from '../../../support/recorded/recordings.ts'

interface Container {
  id: string
  bytes: string
}
interface RecordedBlock {
  height: number
  hex: string
  json: { id: string; parentID: string }
  container: Container | null
}
interface RecordedTx {
  id: string
  hex: string
}
interface TrueBlock {
  chain: 'P' | 'X' | 'C'
  height: number
  type: string
  id: string
  outerId: string | null
  innerIdCb58: string
  parentId: string
  outerParentId: string | null
  timestamp: number
  timestampMs: number | null
  envelope?: string
  proposerTimestamp?: number
  proposerNodeID?: string | null
  proposerPChainHeight?: number | null
  epoch?: { pChainHeight: number; number: number; startTime: number }
  size: number
  txs: string[]
  txTypes: string[]
}
interface EthBlock {
  hash: string
  number: string
  timestamp: string
  parentHash: string
  blockExtraData: string
  transactions: { hash: string }[]
}

const truth = recordedLines<TrueBlock>('truth/blocks')
const trueBlocks = (chain: string) =>
  new Map(truth.filter((row) => row.chain === chain).map((row) => [row.height, row]))

function expectEnvelope(container: Container, expected: TrueBlock): Uint8Array {
  const bytes = decodeNodeHex(container.bytes)
  const opened = openContainer(bytes)
  if (!opened.envelope || opened.outerId === undefined) {
    // Only the first block of C, of before the fork by its genesis time, comes without a wrapper.
    expect([expected.chain, expected.height, expected.envelope]).toEqual(['C', 1, 'none (raw inner block)'])
    return bytes
  }
  const { envelope } = opened
  expect(Buffer.compare(encodeEnvelope(envelope), bytes)).toBe(0)
  expect(idToCb58(opened.outerId)).toBe(container.id)
  expect(idToCb58(envelope.parentId)).toBe(expected.outerParentId)
  expect(opened.proposer === undefined ? null : formatNodeId(opened.proposer)).toBe(expected.proposerNodeID ?? null)
  if (envelope.type !== 'option') {
    expect(Number(envelope.timestamp)).toBe(expected.proposerTimestamp)
    expect(Number(envelope.pChainHeight)).toBe(expected.proposerPChainHeight)
  }
  if (envelope.type === 'granite') {
    const { pChainHeight, number, startTime } = envelope.epoch
    expect({ pChainHeight: Number(pChainHeight), number: Number(number), startTime: Number(startTime) }).toEqual(
      expected.epoch,
    )
  }
  return opened.innerBlock
}

describe.each([
  { chain: 'P', decode: decodePBlock, encode: encodePBlock },
  { chain: 'X', decode: decodeXBlock, encode: encodeXBlock },
] as const)('$chain-chain blocks', ({ chain, decode, encode }) => {
  it('have the recorded ids, heights, times, transactions and proposers, and are written back byte for byte', () => {
    const expectedBlocks = trueBlocks(chain)
    const blocks = recordedLines<RecordedBlock>(chain === 'P' ? 'p-blocks' : 'x-blocks')
    for (const { height, hex, json, container } of blocks) {
      const expected = expectedBlocks.get(height) as TrueBlock
      const bytes = decodeNodeHex(hex)
      const block = decode(bytes)
      expect(Buffer.compare((encode as (value: typeof block) => Buffer)(block), bytes)).toBe(0)
      if (container) expect(Buffer.compare(expectEnvelope(container, expected), bytes)).toBe(0)
      expect(idToCb58(innerBlockId(bytes))).toBe(json.id)
      expect(idToCb58(block.parentId)).toBe(json.parentID)
      expect(Number(block.height)).toBe(height)
      expect(blockHeight(bytes)).toBe(block.height)
      if (container) expect(blockHeight(decodeNodeHex(container.bytes))).toBe(block.height)
      expect(bytes.length).toBe(expected.size)
      if ('time' in block && height > 0) expect(Number(block.time)).toBe(expected.timestamp)
      if (chain === 'P') expect(block.type).toBe(expected.type)
      const txs = 'txs' in block ? block.txs : 'tx' in block ? [block.tx] : []
      expect(txs.map((tx) => idToCb58(tx.id))).toEqual(expected.txs)
      expect(txs.map((tx) => tx.unsignedTx.type)).toEqual(expected.txTypes)
    }
    expect(blocks.length).toBe(expectedBlocks.size)
  })
})

describe.each([
  { name: 'p-txs', decode: decodePTx, encode: encodePTx },
  { name: 'x-txs', decode: decodeXTx, encode: encodeXTx },
] as const)('$name', ({ name, decode, encode }) => {
  it('have the recorded ids and are written back byte for byte', () => {
    const txs = recordedLines<RecordedTx>(name)
    expect(txs.length).toBeGreaterThan(200)
    for (const { id, hex } of txs) {
      const bytes = decodeNodeHex(hex)
      const tx = decode(bytes)
      expect(idToCb58(tx.id)).toBe(id)
      expect(Buffer.compare(tx.bytes, bytes.subarray(2))).toBe(0)
      expect(Buffer.compare((encode as (value: typeof tx) => Buffer)(tx), bytes)).toBe(0)
    }
  })
})

describe('C-chain blocks', () => {
  const blocks = recordedLines<{ height: number; block: EthBlock; container: Container | null }>('c-blocks')
  const expectedBlocks = trueBlocks('C')

  it('have the recorded hashes, times, transactions and proposers, and are written back byte for byte', () => {
    for (const { height, block, container } of blocks) {
      if (!container) continue
      const inner = expectEnvelope(container, expectedBlocks.get(height) as TrueBlock)
      const decoded = decodeCBlock(inner)
      expect(`0x${decoded.id}`).toBe(block.hash)
      expect(blockHeight(decodeNodeHex(container.bytes))).toBe(BigInt(block.number))
      expect(cBlockId(decoded.header)).toBe(decoded.id)
      expect(Buffer.compare(encodeCBlock(decoded), inner)).toBe(0)
      expect(decoded.header.number).toBe(BigInt(block.number))
      expect(decoded.header.time).toBe(BigInt(block.timestamp))
      expect(`0x${decoded.header.parentHash}`).toBe(block.parentHash)
      expect(decoded.transactions.map((item) => `0x${cTransactionHash(item)}`)).toEqual(
        block.transactions.map((tx) => tx.hash),
      )
      expect(`0x${Buffer.from(decoded.extData).toString('hex')}`).toBe(block.blockExtraData)
      const extData = decodeExtData(decoded.extData)
      expect(Buffer.compare(encodeExtData(extData), decoded.extData)).toBe(0)
    }
    expect(blocks.length).toBeGreaterThan(600)
  })

  it('carry the atomic transactions that avax.getAtomicTx knows', () => {
    const inBlocks = new Map(
      blocks.flatMap(({ height, block }) =>
        decodeExtData(Buffer.from(block.blockExtraData.slice(2), 'hex')).txs.map((tx) => [idToCb58(tx.id), height]),
      ),
    )
    const recorded = recordedLines<{ id: string; tx: { tx: string; blockHeight: string } | { error: unknown } }>(
      'c-atomic-txs',
    ).flatMap(({ id, tx }) => ('tx' in tx ? [{ id, ...tx }] : []))
    expect(recorded.length).toBeGreaterThan(30)
    for (const { id, tx, blockHeight } of recorded) {
      const bytes = decodeNodeHex(tx)
      const decoded = decodeAtomicTx(bytes)
      expect(idToCb58(decoded.id)).toBe(id)
      expect(Buffer.compare(encodeAtomicTx(decoded), bytes)).toBe(0)
      expect(inBlocks.get(id)).toBe(Number(blockHeight))
      // Before ApricotPhase5 a block held the transaction in this very form.
      const alone = decodeExtData(bytes)
      expect(alone).toMatchObject({ form: 'single', txs: [{ id: decoded.id }] })
      expect(Buffer.compare(encodeExtData(alone), bytes)).toBe(0)
    }
  })
})

describe('raw containers', () => {
  it('pass through the wrapper reader, P genesis block included', () => {
    const [genesis] = recordedLines<RecordedBlock>('p-blocks')
    const bytes = decodeNodeHex((genesis as RecordedBlock).hex)
    expect(openContainer(bytes)).toMatchObject({ envelope: undefined, outerId: undefined })
    expect(() => decodeEnvelope(bytes)).toThrow('granite: needs 8 bytes, 0 left at byte 46')
  })
})
