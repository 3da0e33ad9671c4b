import { HDKey } from '@scure/bip32'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { deriveChildren } from '../../../../src/chains/avalanche/keys/child-keys.ts'
import { addMultiples, compressPoint, ORDER, parsePoint } from '../../../../src/chains/avalanche/keys/curve.ts'
import { createDerivedAddresses } from '../../../../src/chains/avalanche/keys/derived-addresses.ts'
import { parseExtendedKey } from '../../../../src/chains/avalanche/keys/extended-key.ts'
import { BadInputError, CancelledError } from '../../../../src/errors.ts'
import { decodeBase58, encodeBase58 } from '../../../../src/lib/bytes/base58.ts'
import { hash160 } from '../../../../src/lib/bytes/hash160.ts'
import { sha256 } from '../../../../src/lib/bytes/sha256.ts'
import { turnsWhile } from '../../../support/waiting/turns.ts'

const JUNK =
  'xpub6C4hsnHd2ktwJuqQ97DctTDFheXRxBLG7NNGMLNySiLaYR952BbNpDTBqiv6TvCTbTUwnjdzMVRruBp6TbVutVN2xY8aEopGtwroK6HEooK'
const ABANDON =
  'xpub6BqVigHfL2TNNs8HyeEHn4JFFyTw1vL8kC5ZhzBhrhDbQ3FhgakpivT97Cd7oVCJiAwiqWu313vKMZMwCghXgSVDnYR3FrYzTz24yY3nFHR'

const rewrite = (key: string, change: (payload: Buffer) => void): string => {
  const payload = Buffer.from(decodeBase58(key)).subarray(0, -4)
  change(payload)
  return encodeBase58(Buffer.concat([payload, sha256(sha256(payload)).subarray(0, 4)]))
}

describe('addresses of an account', () => {
  test.each([
    [JUNK, 0, 0, 'avax', 'avax1yljhuvjkmtu0y5ls6kf4exsdd8gea9mp8jd32r'],
    [JUNK, 0, 0, 'fuji', 'fuji1yljhuvjkmtu0y5ls6kf4exsdd8gea9mptqfwxu'],
    [JUNK, 0, 1, 'avax', 'avax18wvaf02nxrfpxhz5fwrj5yjydhhrlef6jslzqg'],
    [JUNK, 1, 0, 'avax', 'avax1k8xj8vxt3t6p30umu9kl0msfep5nwpthexjw6v'],
    [ABANDON, 0, 0, 'avax', 'avax1p9575chzhvcwvmvzaqh7yeld76r3af0ha56phl'],
    [ABANDON, 0, 1, 'avax', 'avax1saceyycp6klllavjmt5xd9dxzk7mffzp6fzwtu'],
    [ABANDON, 1, 0, 'avax', 'avax1trdu4jnt5z2w7ph823qu3vz466ua28285vvvut'],
  ] as const)('%s %i/%i on %s', async (key, branch, index, hrp, address) => {
    const [derived] = await createDerivedAddresses().range(key, branch, index, index + 1, hrp)
    expect(derived?.text).toBe(address)
  })

  test('ranges cut from what is kept equal ranges derived at once', async () => {
    const once = await createDerivedAddresses().range(JUNK, 1, 0, 200, 'avax')
    const derived = createDerivedAddresses()
    const [first, overlap] = await Promise.all([
      derived.range(JUNK, 1, 0, 70, 'avax'),
      derived.range(JUNK, 1, 50, 200, 'avax'),
    ])
    expect(first).toEqual(once.slice(0, 70))
    expect(overlap).toEqual(once.slice(50))
  })

  test('are kept up to a number, of long branches as of short ones', async () => {
    const derived = createDerivedAddresses(300)
    const long = await derived.range(JUNK, 0, 0, 256, 'avax')
    expect((await derived.range(JUNK, 0, 0, 256, 'avax'))[0]).toBe(long[0])
    await derived.range(ABANDON, 0, 0, 64, 'avax')
    expect((await derived.range(JUNK, 0, 0, 256, 'avax'))[0]).not.toBe(long[0])
  })

  test('of many keys at once take a turn of the event loop each, and none once nobody waits for them', async () => {
    const derived = createDerivedAddresses()
    const { turns } = await turnsWhile(() => {
      const ranges = [0, 1].flatMap((branch) =>
        [JUNK, ABANDON].flatMap((key) =>
          ['a', 'b', 'c', 'd'].map((hrp) => derived.range(key, branch as 0 | 1, 0, 64, hrp)),
        ),
      )
      return Promise.all(ranges)
    })
    expect(turns).toBeGreaterThanOrEqual(15)
    const leaving = new AbortController()
    const left = derived.range(JUNK, 0, 0, 16_384, 'e', leaving.signal)
    leaving.abort()
    await expect(left).rejects.toThrow(CancelledError)
    // Who comes next waits for nothing.
    expect(await derived.range(JUNK, 0, 0, 64, 'e')).toHaveLength(64)
  })
})

test('children are those of another BIP-32 implementation, for any key and index', () => {
  const seed = fc.uint8Array({ minLength: 32, maxLength: 32 })
  const index = fc.integer({ min: 0, max: 0x7fffffff - 8 })
  fc.assert(
    fc.property(seed, index, (bytes, first) => {
      const other = HDKey.fromMasterSeed(bytes).derive("m/44'/9000'/3'")
      const children = deriveChildren(parseExtendedKey(other.publicExtendedKey), first, 5)
      children.forEach((child, offset) => {
        const expected = other.deriveChild(first + offset)
        expect(child.publicKey).toEqual(Buffer.from(expected.publicKey ?? []))
        expect(child.chainCode).toEqual(Buffer.from(expected.chainCode ?? []))
        expect(hash160(child.publicKey)).toEqual(Buffer.from(expected.pubKeyHash ?? []))
      })
    }),
    { numRuns: 20 },
  )
})

describe('extended keys that are none', () => {
  const bad: [string, string, RegExp][] = [
    ['one character off', JUNK.replace('c', 'd'), /checksum/],
    ['two characters swapped', `${JUNK.slice(0, -2)}Ko`, /checksum/],
    ['a private key', rewrite(JUNK, (payload) => payload.writeUInt32BE(0x0488ade4)), /not a mainnet/],
    ['a testnet version', rewrite(JUNK, (payload) => payload.writeUInt32BE(0x043587cf)), /not a mainnet/],
    ['x beyond the field', rewrite(JUNK, (payload) => payload.fill(0xff, 46)), /no point/],
    ['x without a point', rewrite(JUNK, (payload) => payload.fill(0, 46).writeUInt8(5, 77)), /no point/],
    ['an uncompressed prefix', rewrite(JUNK, (payload) => payload.writeUInt8(4, 45)), /no point/],
    ['too short', 'xpub6C4hsnHd2ktwJuqQ97DctTDFheXRxBLG7NNGMLNySiLaYR952', /length/],
    ['a foreign character', JUNK.replace('6', '0'), /alphabet/],
  ]
  test.each(bad)('%s', (_, key, reason) => {
    expect(() => parseExtendedKey(key)).toThrow(BadInputError)
    expect(() => parseExtendedKey(key)).toThrow(reason)
  })
})

describe('crafted points', () => {
  const scalar = (value: bigint) => Buffer.from(value.toString(16).padStart(64, '0'), 'hex')
  const generator = parsePoint(Buffer.from('0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798', 'hex'))
  if (!generator) throw new Error('the generator is a point')

  test('sums that pass through infinity, double, or end there', () => {
    const at = (value: bigint) => addMultiples(generator, [scalar(value)])[0]
    // The lowest digit of 1023 is −1: the first addition cancels the start.
    expect(at(1023n)).toEqual(
      addMultiples(generator, [scalar(1000n)]).flatMap((p) => (p ? addMultiples(p, [scalar(23n)]) : []))[0],
    )
    expect(compressPoint(at(1n) ?? generator).toString('hex')).toBe(
      '02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5',
    )
    expect(at(ORDER - 1n)).toBeUndefined()
    expect(at(0n)).toEqual(generator)
  })

  test('one that ends at infinity leaves the others as they are', () => {
    const values = [1023n, ORDER - 1n, 5n].map(scalar)
    const together = addMultiples(generator, values)
    expect(together).toEqual(values.map((value) => addMultiples(generator, [value])[0]))
  })
})
