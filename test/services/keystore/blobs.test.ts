import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeAddressList } from '../../../src/services/keystore/address-list.ts'
import { decodeBlobText, encodeBlobText } from '../../../src/services/keystore/blob-text.ts'
import { entryKeysOf } from '../../../src/services/keystore/entry-keys.ts'
import { KeystoreError } from '../../../src/services/keystore/errors.ts'
import { bytesField, encode, lengthField } from '../../../src/services/keystore/node-codec.ts'
import { createRecordCipher } from '../../../src/services/keystore/record-cipher.ts'
import { decodeUserBlob, encodeUserBlob, type UserBlob } from '../../../src/services/keystore/user-blob.ts'
import { keystoreVectors } from '../../support/recorded/keystore-recordings.ts'

const bodyOf = (hex: string): Uint8Array => decodeBlobText(hex, 'hex')
const vector = (username: string) => {
  const found = keystoreVectors.find((one) => one.username === username)
  if (!found) throw new Error(`no vector ${username}`)
  return found
}
const hex = (value: Uint8Array): string => Buffer.from(value).toString('hex')
const shown = ({ hash, salt, entries }: UserBlob): unknown => [
  hex(hash),
  hex(salt),
  entries.map(({ key, value }) => [hex(key), hex(value)]),
]
/** The value, or the text of the KeystoreError; anything else is thrown on. */
const outcome = (work: () => unknown): unknown => {
  try {
    return work()
  } catch (error) {
    if (error instanceof KeystoreError) return error.message
    throw error
  }
}

describe('blobs of real nodes', () => {
  it.each(keystoreVectors.map((one) => [`${one.node} ${one.note}`, one] as const))('%s', (_note, one) => {
    const blob = decodeUserBlob(bodyOf(one.blobHex))
    expect(encodeBlobText(encodeUserBlob(blob), 'hex')).toBe(one.blobHex)
    const cipher = createRecordCipher(Buffer.from(one.password))
    const secrets = blob.entries.filter(({ key }) => key.length === 52).map(({ value }) => hex(cipher.open(value)))
    expect(secrets.sort()).toEqual(one.keys.map(({ privateKeyHex }) => privateKeyHex).sort())
  })

  it('lists addresses in the order in which their keys came', () => {
    const one = vector('w-odd')
    const blob = decodeUserBlob(bodyOf(one.blobHex))
    const { list } = entryKeysOf(one.keys[0]?.blockchainID ?? '')
    const entry = blob.entries.find(({ key }) => Buffer.compare(key, list) === 0)
    const cipher = createRecordCipher(Buffer.from(one.password))
    expect(decodeAddressList(cipher.open(entry?.value ?? new Uint8Array()))).toHaveLength(2)
  })
})

describe('records', () => {
  const password = Buffer.from('Grüße-🔑')
  const cipher = createRecordCipher(password)
  const damaged = 'chacha20poly1305: message authentication failed'

  it('are as long as a node makes them, never twice the same, and open again', () => {
    const plain = Buffer.alloc(32, 7)
    const [one, two] = [cipher.seal(plain), cipher.seal(plain)]
    expect(one).toHaveLength(82)
    expect(Buffer.compare(one, two)).not.toBe(0)
    expect(Buffer.from(cipher.open(one))).toEqual(plain)
    expect(cipher.open(cipher.seal(new Uint8Array()))).toHaveLength(0)
  })

  it.each([
    ['of another password', createRecordCipher(Buffer.from('other')).seal(Buffer.from('x')), damaged],
    ['with a short nonce', encode(bytesField(Buffer.alloc(32)), bytesField(Buffer.alloc(12))), damaged],
    ['without a tag', encode(bytesField(Buffer.alloc(15)), bytesField(Buffer.alloc(24))), damaged],
    ['of one byte', Buffer.from([0]), "couldn't unpack codec version"],
    ['of version 1', Buffer.from([0, 1, 0, 0]), 'unknown codec version'],
    ['cut off', cipher.seal(Buffer.from('x')).subarray(0, 20), 'packer has insufficient length for input'],
    ['beyond the limit', Buffer.alloc(262_145), 'byte array exceeds maximum length: 262145 > 262144'],
  ])('%s are refused', (_title, record, text) => {
    expect(outcome(() => cipher.open(record))).toBe(text)
  })

  it('are not written beyond what a node reads', () => {
    expect(() => cipher.seal(Buffer.alloc(262_144 - 49))).toThrow('packer has insufficient length for input')
    expect(cipher.seal(Buffer.alloc(262_144 - 50))).toHaveLength(262_144)
  })

  it('cannot be opened when the key was wiped', () => {
    const wiped = createRecordCipher(password)
    const record = wiped.seal(Buffer.from('x'))
    wiped.wipe()
    expect(outcome(() => wiped.open(record))).toBe(damaged)
  })
})

describe('the text of a blob', () => {
  it.each([
    ['', 'json', ''],
    ['0x', 'hexnc', ''],
    ['0xAbCd', 'hexnc', 'abcd'],
    ['0x7852b855', 'hexc', ''],
    ['0x0017afa01d', 'hex', '00'],
  ] as const)('%j as %s', (text, encoding, hex) => {
    expect(Buffer.from(decodeBlobText(text, encoding)).toString('hex')).toBe(hex)
  })

  it.each([
    ['0x00', 'json', 'unsupported encoding in method'],
    ['00', 'hexnc', 'missing 0x prefix to hex encoding'],
    ['0X00', 'hexnc', 'missing 0x prefix to hex encoding'],
    ['0x0', 'hexnc', 'encoding/hex: odd length hex string'],
    ['0x0g1', 'hexnc', "encoding/hex: invalid byte: U+0067 'g'"],
    ['0xg', 'hexnc', "encoding/hex: invalid byte: U+0067 'g'"],
    ['0x0\u0000', 'hexnc', 'encoding/hex: invalid byte: U+0000'],
    ['0x0\u007f', 'hexnc', 'encoding/hex: invalid byte: U+007F'],
    ['0x0 ', 'hexnc', "encoding/hex: invalid byte: U+0020 ' '"],
    ['0x0é', 'hexnc', "encoding/hex: invalid byte: U+00C3 'Ã'"],
    ['0x0\u00ad', 'hexnc', "encoding/hex: invalid byte: U+00C2 'Â'"],
    ['0x000000', 'hex', 'input string is smaller than the checksum size'],
    ['0x0017afa01e', 'hex', 'invalid input checksum'],
  ] as const)('%j as %s: %s', (text, encoding, message) => {
    expect(outcome(() => decodeBlobText(text, encoding))).toBe(message)
  })

  it('goes both ways for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.constantFrom('hex', 'hexc', 'hexnc'), (bytes, encoding) => {
        expect(Buffer.from(decodeBlobText(encodeBlobText(bytes, encoding), encoding))).toEqual(Buffer.from(bytes))
      }),
    )
  })
})

describe('hostile blobs', () => {
  const real = bodyOf(vector('v-xp').blobHex)

  it('go both ways for any entries', () => {
    const bytes = (size: number) => fc.uint8Array({ minLength: size, maxLength: size })
    const entry = fc.record({ key: fc.uint8Array({ maxLength: 80 }), value: fc.uint8Array({ maxLength: 200 }) })
    fc.assert(
      fc.property(bytes(32), bytes(16), fc.array(entry, { maxLength: 8 }), (hash, salt, entries) => {
        expect(shown(decodeUserBlob(encodeUserBlob({ hash, salt, entries })))).toEqual(shown({ hash, salt, entries }))
      }),
    )
  })

  it('decode or are refused: cut, with bytes changed, put in or repeated', () => {
    const cipher = createRecordCipher(Buffer.from(vector('v-xp').password))
    const place = fc.nat(real.length)
    fc.assert(
      fc.property(place, place, fc.uint8Array({ maxLength: 12 }), fc.boolean(), (from, to, patch, keep) => {
        const tail = real.subarray(keep ? from + patch.length : to)
        const hostile = Buffer.concat([real.subarray(0, from), patch, tail])
        const blob = outcome(() => decodeUserBlob(hostile))
        if (typeof blob === 'string') return
        for (const { value } of (blob as ReturnType<typeof decodeUserBlob>).entries) outcome(() => cipher.open(value))
      }),
      { numRuns: 3_000 },
    )
  })

  it.each([1, 50, 53, 54, 57, 58, 200])('stop at once when cut to %i bytes', (size) => {
    expect(outcome(() => decodeUserBlob(real.subarray(0, size)))).toMatch(/version|insufficient/)
  })

  it('take no more work than they have bytes', () => {
    const head = real.subarray(0, 50)
    const empty = Buffer.alloc(8 * 100_000)
    const text = outcome(() => decodeUserBlob(Buffer.concat([head, lengthField(0x7fffffff), empty])))
    expect(text).toBe("couldn't unmarshal slice: packer has insufficient length for input")
  })

  it('with keys that no node makes and the store cannot index are refused', () => {
    const entries = [{ key: Buffer.alloc(1_025), value: Buffer.alloc(1) }]
    const blob = encodeUserBlob({ hash: Buffer.alloc(32), salt: Buffer.alloc(16), entries })
    expect(outcome(() => decodeUserBlob(blob))).toBe('entry key of 1025 bytes exceeds 1024 bytes')
  })
})
