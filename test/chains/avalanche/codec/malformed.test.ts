import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  CodecError,
  decodeAtomicTx,
  decodeCBlock,
  decodeEnvelope,
  decodeExtData,
  decodePBlock,
  decodePGenesis,
  decodePTx,
  decodeUtxo,
  decodeWarpMessage,
  decodeXBlock,
  decodeXTx,
  openContainer,
} from '../../../../src/chains/avalanche/codec/index.ts'
import { decodeNodeHex } from '../../../../src/lib/bytes/node-hex.ts'
import { recordedLines } from '../../../support/recorded/recordings.ts'

const decoders = {
  decodeAtomicTx,
  decodeCBlock,
  decodeEnvelope,
  decodeExtData,
  decodePBlock,
  decodePGenesis,
  decodePTx,
  decodeUtxo,
  decodeWarpMessage,
  decodeXBlock,
  decodeXTx,
}

/** Runs a decoder on hostile bytes: the only way out besides a value is a CodecError inside the buffer. */
function onlyCodecErrors(decode: (bytes: Uint8Array) => unknown, bytes: Uint8Array): void {
  try {
    decode(bytes)
  } catch (error) {
    if (!(error instanceof CodecError)) throw error
    expect(error.offset).toBeGreaterThanOrEqual(0)
    expect(error.offset).toBeLessThanOrEqual(bytes.length)
    expect(error.message).toContain(error.type)
  }
}

describe.each(Object.entries(decoders))('%s', (_name, decode) => {
  it('answers random bytes with a value or a CodecError', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => onlyCodecErrors(decode, bytes)),
      { numRuns: 300 },
    )
  })
})

const samples: [string, (bytes: Uint8Array) => unknown, string[]][] = [
  ['P block', decodePBlock, recordedLines<{ hex: string }>('p-blocks').map((row) => row.hex)],
  ['X block', decodeXBlock, recordedLines<{ hex: string }>('x-blocks').map((row) => row.hex)],
  ['P transaction', decodePTx, recordedLines<{ hex: string }>('p-txs').map((row) => row.hex)],
  [
    'C container',
    (bytes) => decodeCBlock(openContainer(bytes).innerBlock),
    recordedLines<{ container: { bytes: string } | null }>('c-blocks').flatMap((row) => row.container?.bytes ?? []),
  ],
]

describe.each(samples)('a recorded %s', (_name, decode, encoded) => {
  const shortest = encoded.map(decodeNodeHex).toSorted((a, b) => a.length - b.length)
  const some = [0.1, 0.5, 0.9].map((part) => shortest[Math.floor(shortest.length * part)] as Uint8Array)

  it('cut anywhere, or with bytes added, is refused', () => {
    for (const bytes of some) {
      const step = Math.ceil(bytes.length / 400)
      for (let length = 0; length < bytes.length; length += step) {
        expect(() => decode(bytes.subarray(0, length))).toThrow(CodecError)
      }
      expect(() => decode(Buffer.concat([bytes, Buffer.alloc(3)]))).toThrow(CodecError)
    }
  })

  it('with any four bytes turned into a huge number is a value or a CodecError, at once', () => {
    for (const bytes of some) {
      const step = Math.ceil(bytes.length / 400)
      for (let offset = 0; offset + 4 <= bytes.length; offset += step) {
        for (const number of [0xffffffff, 0x7fffffff, 0x00ffffff]) {
          const broken = Buffer.from(bytes)
          broken.writeUInt32BE(number, offset)
          onlyCodecErrors(decode, broken)
        }
      }
    }
  })
})
