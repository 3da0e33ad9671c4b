import { sha256 } from '../../lib/bytes/sha256.ts'
import type { Program } from './programs.ts'

/** Addresses derived in one turn of the event loop: about a tenth of a millisecond each. */
export const DERIVED_PER_TURN = 100

const MARKER = Buffer.from('ProgramDerivedAddress')
const FIELD = 2n ** 255n - 19n
/** d of the twisted Edwards curve −x² + y² = 1 + dx²y² (RFC 8032, section 5.1). */
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n
const SIGN_BIT_OFF = (1n << 255n) - 1n

/** Jacobi symbol (a/n); for a prime n it is −1 exactly when `a` is not a square. Far cheaper than Euler's power. */
const jacobi = (numerator: bigint, modulus: bigint): number => {
  let a = numerator % modulus
  let n = modulus
  let symbol = 1
  while (a !== 0n) {
    let twos = 0
    while ((a & 1n) === 0n) {
      a >>= 1n
      twos += 1
    }
    const rest = n & 7n
    if (twos % 2 === 1 && (rest === 3n || rest === 5n)) symbol = -symbol
    if ((a & 3n) === 3n && (n & 3n) === 3n) symbol = -symbol
    const next = n % a
    n = a
    a = next
  }
  return n === 1n ? symbol : 0
}

/** Whether 32 bytes are a point of the ed25519 curve, and so may be a public key. */
export const isOnCurve = (bytes: Uint8Array): boolean => {
  const y = BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`) & SIGN_BIT_OFF
  const square = (y * y) % FIELD
  // x² = (y² − 1) / (dy² + 1) has a root exactly when numerator times denominator has one.
  const product = ((square - 1n + FIELD) * (D * square + 1n)) % FIELD
  return jacobi(product, FIELD) !== -1
}

/** Address for one bump, without the check that it is off the curve. */
export const derivedCandidate = (seeds: readonly Uint8Array[], bump: number, program: Program): Buffer =>
  sha256(Buffer.concat([...seeds, Uint8Array.of(bump), program.bytes, MARKER]))

/** Program derived address: the first candidate, with bumps from 255 down, that is not a point of the curve. */
export const findDerivedAddress = (seeds: readonly Uint8Array[], program: Program): Buffer => {
  for (let bump = 255; bump >= 0; bump -= 1) {
    const candidate = derivedCandidate(seeds, bump, program)
    if (!isOnCurve(candidate)) return candidate
  }
  throw new Error('no bump gives an address off the curve')
}
