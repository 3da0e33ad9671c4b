import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  assemblePTx,
  blockHeight,
  decodePBlock,
  decodePTx,
  encodePBlock,
  encodePTx,
  openContainer,
  type PBlock,
} from '../../../../src/chains/avalanche/codec/index.ts'
import { readWithAvalanchejs } from '../../../support/avalanche/avalanchejs-codec.ts'
import { few, id, secpCredential, u64 } from './arbitraries.ts'
import { pTxTypes, unsignedPTx } from './p-tx-arbitraries.ts'

const signed = (type: (typeof pTxTypes)[number]) =>
  fc.tuple(unsignedPTx(type), few(secpCredential)).map(([tx, credentials]) => assemblePTx(tx, credentials))

describe.each(pTxTypes)('%s', (type) => {
  it('survives writing and reading, and avalanchejs reads and writes the same bytes', () => {
    fc.assert(
      fc.property(signed(type), (tx) => {
        const bytes = encodePTx(tx)
        expect(decodePTx(bytes)).toEqual({ ...tx, bytes: new Uint8Array(tx.bytes) })
        const theirs = readWithAvalanchejs('PVM', bytes)
        expect(Buffer.compare(theirs.bytes, bytes)).toBe(0)
        expect(theirs.type.replace(/Tx$/, '')).toBe(`pvm.${type.replace(/Tx$/, '')}`)
      }),
      { numRuns: 20 },
    )
  })
})

describe('fields of types that no recorded transaction has', () => {
  it.each([
    ['TransformSubnetTx', 12],
    ['AddValidatorTx', 2],
    ['AddDelegatorTx', 1],
    ['AddAutoRenewedValidatorTx', 6],
    ['SetAutoRenewedValidatorConfigTx', 2],
    ['RewardAutoRenewedValidatorTx', 1],
  ] as const)('%s: %i numbers and owners have the names avalanchejs gives them', (type, count) => {
    const [tx] = fc.sample(signed(type), 1)
    if (!tx) throw new Error('no sample')
    const theirs = readWithAvalanchejs('PVM', encodePTx(tx)).unsignedTx
    // One name differs: the library calls a validator's delegation fee its shares.
    const named: typeof theirs = { delegationShares: theirs.shares, ...theirs }
    let compared = 0
    for (const [name, value] of Object.entries(tx.unsignedTx)) {
      if (name === 'networkId') continue
      if (typeof value === 'number' || typeof value === 'bigint') {
        const encoded = Buffer.from((named[name] as { toBytes(): Uint8Array }).toBytes()).toString('hex')
        expect(BigInt(`0x${encoded}`), name).toBe(BigInt(value))
        compared++
      } else if (value.type === 'output-owners') {
        expect((named[name] as { locktime: { value(): bigint } }).locktime.value(), name).toBe(value.locktime)
        compared++
      }
    }
    expect(compared).toBe(count)
  })
})

describe('P blocks', () => {
  const tx = fc.oneof(...pTxTypes.map(signed))
  const head = { parentId: id, height: u64 }
  const bodies: { [T in PBlock['type']]: fc.Arbitrary<Omit<Extract<PBlock, { type: T }>, 'type'>> } = {
    ApricotProposalBlock: fc.record({ ...head, tx }),
    ApricotAbortBlock: fc.record(head),
    ApricotCommitBlock: fc.record(head),
    ApricotStandardBlock: fc.record({ ...head, txs: few(tx) }),
    ApricotAtomicBlock: fc.record({ ...head, tx }),
    BanffProposalBlock: fc.record({ time: u64, decisionTxs: few(tx), ...head, tx }),
    BanffAbortBlock: fc.record({ time: u64, ...head }),
    BanffCommitBlock: fc.record({ time: u64, ...head }),
    BanffStandardBlock: fc.record({ time: u64, ...head, txs: few(tx) }),
  }

  it.each(Object.entries(bodies))('%s survives writing and reading', (type, body: fc.Arbitrary<object>) => {
    fc.assert(
      fc.property(body, (fields) => {
        const bytes = encodePBlock({ type, ...fields } as PBlock)
        const block = decodePBlock(bytes)
        expect(block).toMatchObject({ type })
        expect(Object.keys(block).slice(1)).toEqual(Object.keys(fields))
        expect(Buffer.compare(encodePBlock(block), bytes)).toBe(0)
        if (/^Banff/.test(type)) expect(blockHeight(bytes)).toBe(block.height)
      }),
      { numRuns: 20 },
    )
  })

  it('of before the fork, which begin like wrappers, pass through the wrapper reader', () => {
    const realHeight = fc.bigInt({ min: 0n, max: 0xffff_ffffn })
    const apricot = fc.constantFrom(
      ...(Object.keys(bodies) as PBlock['type'][]).filter((type) => /^Apricot/.test(type)),
    )
    const blocks = apricot.chain((type) => fc.tuple(fc.constant(type), bodies[type] as fc.Arbitrary<object>))
    fc.assert(
      fc.property(blocks, realHeight, ([type, fields], height) => {
        const bytes = encodePBlock({ type, ...fields, height } as PBlock)
        const { envelope, innerBlock } = openContainer(bytes)
        expect(envelope).toBeUndefined()
        expect(innerBlock).toBe(bytes)
        expect(blockHeight(bytes)).toBe(height)
      }),
      { numRuns: 200 },
    )
  })
})
