/**
 * Deriving the public children of an extended key: our batch against @scure/bip32, @bitcoinerlab/secp256k1,
 * @noble/curves and OpenSSL's generic curve through node:crypto, all in processor time of one run. The last two only do the
 * curve, without the hash in front of it, and still lose. Run: npm run bench:xpub
 */
import { createECDH, createHmac } from 'node:crypto'
import { pointAddScalar } from '@bitcoinerlab/secp256k1'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { HDKey } from '@scure/bip32'
import { deriveChildren } from '../../src/chains/avalanche/keys/child-keys.ts'
import { parseExtendedKey } from '../../src/chains/avalanche/keys/extended-key.ts'
import { median, ratioLine } from './balances/figures.ts'

const KEY =
  'xpub6C4hsnHd2ktwJuqQ97DctTDFheXRxBLG7NNGMLNySiLaYR952BbNpDTBqiv6TvCTbTUwnjdzMVRruBp6TbVutVN2xY8aEopGtwroK6HEooK'
const ROUNDS = 9
const CHILDREN = 128

const parent = parseExtendedKey(KEY)
const scure = HDKey.fromExtendedKey(KEY)
const point = secp256k1.Point.fromBytes(parent.publicKey)
const ecdh = createECDH('secp256k1')

/** Left half of HMAC-SHA512(chain code, public key ‖ index): the scalar of a child. */
function scalarOf(index: number): Buffer {
  const message = Buffer.concat([parent.publicKey, Buffer.alloc(4)])
  message.writeUInt32BE(index, 33)
  return createHmac('sha512', parent.chainCode).update(message).digest().subarray(0, 32)
}

function eachChild(first: number, derive: (index: number) => unknown): void {
  for (let index = first; index < first + CHILDREN; index++) derive(index)
}

const contenders: Record<string, (first: number) => unknown> = {
  own: (first) => deriveChildren(parent, first, CHILDREN),
  'scure-bip32': (first) => eachChild(first, (index) => scure.deriveChild(index)),
  'bitcoinerlab-secp256k1': (first) =>
    eachChild(first, (index) => pointAddScalar(parent.publicKey, scalarOf(index), true)),
  'noble-curves': (first) =>
    eachChild(first, (index) => {
      const scalar = BigInt(`0x${scalarOf(index).toString('hex')}`)
      return secp256k1.Point.BASE.multiply(scalar).add(point).toBytes(true)
    }),
  'node-crypto': (first) =>
    eachChild(first, (index) => {
      ecdh.setPrivateKey(scalarOf(index))
      return ecdh.getPublicKey(null, 'compressed')
    }),
}

/** Microseconds of processor time per child, rounds of all contenders interleaved. */
function measure(): Map<string, number> {
  const times = new Map<string, number[]>()
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, run] of Object.entries(contenders)) {
      const before = process.cpuUsage()
      run(round * CHILDREN)
      const { user, system } = process.cpuUsage(before)
      // The first round builds tables and warms the compiler.
      if (round > 0) times.set(name, [...(times.get(name) ?? []), (user + system) / CHILDREN])
    }
  }
  return new Map([...times].map(([name, values]) => [name, median(values)]))
}

const figures = measure()
for (const [name, micros] of figures) console.log(`${name.padEnd(24)} ${micros.toFixed(1).padStart(8)} µs per child`)
const own = figures.get('own') ?? Number.NaN
for (const [name, micros] of figures) {
  if (name !== 'own') console.log(ratioLine(`xpub-derivation-vs-${name}`, micros / own, '>= 3'))
}
