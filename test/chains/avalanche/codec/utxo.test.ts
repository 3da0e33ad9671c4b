import { describe, expect, it } from 'vitest'
import { CodecError } from '../../../../src/chains/avalanche/codec/codec-error.ts'
import { decodeUtxo, encodeUtxo } from '../../../../src/chains/avalanche/codec/utxo.ts'
import { formatBech32Address } from '../../../../src/lib/bytes/bech32-address.ts'
import { idToCb58 } from '../../../../src/lib/bytes/ids.ts'
import { decodeNodeHex, encodeNodeHex } from '../../../../src/lib/bytes/node-hex.ts'
import { utxoId } from '../../../../src/lib/bytes/utxo-id.ts'
import { recordedLines } from '../../../support/recorded/recordings.ts'

interface RecordedUtxo {
  utxoId: string
  txHash: string
  outputIndex: number
  assetId: string
  amount: string
  addresses: string[]
  threshold: number
  locktime: number
  stakeableLocktime: number | null
  utxoBytes: string
}

describe('decodeUtxo', () => {
  const truth = recordedLines<RecordedUtxo>('truth/utxos')
  const plain = truth.filter((row) => row.utxoBytes)

  it('reads every UTXO of the recorded network as the replayed truth has it, and writes the same bytes', () => {
    expect(plain.length).toBeGreaterThan(3000)
    for (const row of plain) {
      const bytes = decodeNodeHex(row.utxoBytes)
      const utxo = decodeUtxo(bytes)
      const lock = utxo.output.type === 'stakeable-lock' ? utxo.output : undefined
      const owned = lock ? lock.output : utxo.output
      if (owned.type === 'stakeable-lock') throw new Error('nested lock')
      expect({
        utxoId: idToCb58(utxoId(utxo)),
        txHash: idToCb58(utxo.txId),
        outputIndex: utxo.outputIndex,
        assetId: idToCb58(utxo.assetId),
        addresses: owned.addresses.map((address) => formatBech32Address(address, 'fuji')),
        threshold: owned.threshold,
        locktime: Number(owned.locktime),
        stakeableLocktime: lock ? Number(lock.locktime) : null,
        bytes: encodeNodeHex(encodeUtxo(utxo)),
      }).toEqual({
        utxoId: row.utxoId,
        txHash: row.txHash,
        outputIndex: row.outputIndex,
        assetId: row.assetId,
        addresses: row.addresses,
        threshold: row.threshold,
        locktime: row.locktime,
        stakeableLocktime: row.stakeableLocktime,
        bytes: row.utxoBytes,
      })
      if (owned.type === 'secp-transfer') expect(owned.amount.toString()).toBe(row.amount)
    }
  })

  it('reads every UTXO that nodes answered with, in every memory, and writes the same bytes', () => {
    const states = recordedLines<Record<'P' | 'X' | 'C', Record<string, unknown>>>('address-state')
    const encoded = states
      .flatMap(({ P, X, C }) => [P.utxos, P.atomicX, P.atomicC, X.utxos, X.atomicP, X.atomicC, C.atomicP, C.atomicX])
      .flatMap((utxos) => utxos as string[])
    expect(encoded.length).toBeGreaterThan(3000)
    for (const text of encoded) expect(encodeNodeHex(encodeUtxo(decodeUtxo(decodeNodeHex(text))))).toBe(text)
  })

  it('refuses every cut, every longer form and an absurd count, saying where', () => {
    const bytes = decodeNodeHex((plain[0] as RecordedUtxo).utxoBytes)
    for (let length = 0; length < bytes.length; length++) {
      expect(() => decodeUtxo(bytes.subarray(0, length))).toThrow(CodecError)
    }
    expect(() => decodeUtxo(Buffer.concat([bytes, Buffer.alloc(1)]))).toThrow(/1 bytes left over at byte/)
    const absurd = Buffer.from(bytes)
    absurd.writeUInt32BE(0xffffffff, bytes.length - 24)
    expect(() => decodeUtxo(absurd)).toThrow(/secp-transfer: 4294967295 items cannot fit/)
    const unknown = Buffer.from(bytes)
    unknown.writeUInt32BE(99, 70)
    expect(() => decodeUtxo(unknown)).toThrow(/unknown type id 99 at byte 70/)
  })
})
