import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  conversionId,
  conversionValidationId,
  decodeL1Message,
  decodePTx,
  decodeWarpMessage,
  decodeWarpPayload,
  encodeL1Message,
  encodeWarpMessage,
  encodeWarpPayload,
  l1MessageOf,
  type PTx,
} from '../../../../src/chains/avalanche/codec/index.ts'
import { idToCb58 } from '../../../../src/lib/bytes/ids.ts'
import { decodeNodeHex } from '../../../../src/lib/bytes/node-hex.ts'
import { sha256Hex } from '../../../../src/lib/bytes/sha256.ts'
import { recordedJson, recordedLines } from '../../../support/recorded/recordings.ts'
import { blob, bytes, few, hex, id, u32, u64 } from './arbitraries.ts'

const txs = recordedLines<{ hex: string }>('p-txs').map((row): PTx => decodePTx(decodeNodeHex(row.hex)))
const events = recordedLines<{ validationID: string; tx: string | null; event: string }>('truth/l1-events')

describe('recorded L1 transactions', () => {
  it('register the validators whose ids the replayed network has', () => {
    const ours = txs.flatMap(({ id, unsignedTx }) => {
      const tx = idToCb58(id)
      if (unsignedTx.type === 'RegisterL1ValidatorTx') {
        return [[tx, idToCb58(sha256Hex(l1MessageOf(unsignedTx.message).bytes))]]
      }
      if (unsignedTx.type !== 'ConvertSubnetToL1Tx') return []
      const { subnetId, validators } = unsignedTx
      return validators.map((_, index) => [tx, idToCb58(conversionValidationId(subnetId, index))])
    })
    const registered = events.filter((row) => row.event === 'registered').map((row) => [row.tx, row.validationID])
    expect(ours.toSorted()).toEqual(registered.toSorted())
    expect(ours.length).toBeGreaterThan(5)
  })

  it('convert subnets under the ids that the node shows', () => {
    const { subnets } = recordedJson<{ subnets: { id: string; details: { conversionID: string } }[] }>('platform-state')
    const shown = new Map(subnets.map((subnet) => [subnet.id, subnet.details.conversionID]))
    const conversions = txs.flatMap(({ unsignedTx }) => (unsignedTx.type === 'ConvertSubnetToL1Tx' ? [unsignedTx] : []))
    expect(conversions.length).toBeGreaterThan(1)
    for (const { subnetId, chainId, address, validators } of conversions) {
      const data = {
        subnetId,
        managerChainId: chainId,
        managerAddress: address,
        validators: validators.map(({ nodeId, signer, weight }) => ({
          nodeId,
          blsPublicKey: signer.publicKey,
          weight,
        })),
      }
      expect(idToCb58(conversionId(data))).toBe(shown.get(idToCb58(subnetId)))
    }
  })

  it('carry messages that are written back byte for byte, layer by layer', () => {
    let seen = 0
    for (const { unsignedTx } of txs) {
      if (!('message' in unsignedTx)) continue
      seen++
      const { warp, message, bytes } = l1MessageOf(unsignedTx.message)
      expect(Buffer.compare(encodeWarpMessage(warp), unsignedTx.message)).toBe(0)
      expect(Buffer.compare(encodeWarpPayload(decodeWarpPayload(warp.payload)), warp.payload)).toBe(0)
      expect(Buffer.compare(encodeL1Message(message), bytes)).toBe(0)
      expect(message.type).toBe(
        unsignedTx.type === 'RegisterL1ValidatorTx' ? 'RegisterL1Validator' : 'L1ValidatorWeight',
      )
    }
    expect(seen).toBeGreaterThan(5)
  })
})

describe('warp formats', () => {
  const pChainOwner = fc.record({ threshold: u32, addresses: few(bytes(20)) })
  const messages = fc.oneof(
    fc.record({ type: fc.constant('SubnetToL1Conversion' as const), conversionId: id }),
    fc.record({
      type: fc.constant('RegisterL1Validator' as const),
      subnetId: id,
      nodeId: hex(20),
      blsPublicKey: bytes(48),
      expiry: u64,
      remainingBalanceOwner: pChainOwner,
      disableOwner: pChainOwner,
      weight: u64,
    }),
    fc.record({ type: fc.constant('L1ValidatorRegistration' as const), validationId: id, registered: fc.boolean() }),
    fc.record({ type: fc.constant('L1ValidatorWeight' as const), validationId: id, nonce: u64, weight: u64 }),
  )
  const payloads = fc.oneof(
    fc.record({ type: fc.constant('hash' as const), hash: id }),
    fc.record({ type: fc.constant('addressed-call' as const), sourceAddress: blob, payload: blob }),
  )
  const signature = fc.record({ type: fc.constant('bit-set' as const), signers: blob, signature: bytes(96) })
  const signed = fc.record({ networkId: u32, sourceChainId: id, payload: blob, signature })

  it('survive writing and reading', () => {
    fc.assert(
      fc.property(messages, (value) => {
        expect(decodeL1Message(encodeL1Message(value))).toEqual(value)
      }),
    )
    fc.assert(
      fc.property(payloads, (value) => {
        expect(decodeWarpPayload(encodeWarpPayload(value))).toEqual(value)
      }),
    )
    fc.assert(
      fc.property(signed, (value) => {
        expect(decodeWarpMessage(encodeWarpMessage(value))).toEqual(value)
      }),
    )
  })

  it('refuse a bool that is neither 0 nor 1', () => {
    const message = encodeL1Message({
      type: 'L1ValidatorRegistration',
      validationId: '11'.repeat(32),
      registered: true,
    })
    message[message.length - 1] = 2
    expect(() => decodeL1Message(message)).toThrow('L1ValidatorRegistration: a bool of 2 at byte 38')
  })
})
