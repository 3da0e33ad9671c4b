/**
 * Points of secp256k1 for deriving public keys, many at a time. Everything here is public, so nothing is constant-time.
 * Additions are done in affine form for a whole batch with a single inversion (Montgomery's trick), so that one
 * addition costs six multiplications.
 */
export interface CurvePoint {
  x: bigint
  y: bigint
}

const P = 2n ** 256n - 2n ** 32n - 977n
/** Order of the group. */
export const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const GENERATOR: CurvePoint = {
  x: 0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n,
  y: 0x483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8n,
}
/** 2^256 mod P: folding the high half is cheaper than a division. */
const FOLD = 2n ** 32n + 977n
const LOW = 2n ** 256n - 1n

/** Width of a scalar's windows. Ten bits: 26 additions for a scalar, 13,312 points in the table. */
const WINDOW = 10
const HALF = 1 << (WINDOW - 1)
const WINDOWS = Math.ceil(257 / WINDOW)

function reduce(value: bigint): bigint {
  const once = (value & LOW) + (value >> 256n) * FOLD
  const twice = (once & LOW) + (once >> 256n) * FOLD
  return twice >= P ? twice - P : twice
}

function invert(value: bigint): bigint {
  let [a, b, u, v] = [value, P, 1n, 0n]
  while (a > 1n) {
    const q = b / a
    ;[a, b] = [b - q * a, a]
    ;[u, v] = [v - q * u, u]
  }
  return u < 0n ? u + P : u
}

/** Inverts all values in place with one inversion; none may be 0. */
function invertAll(values: bigint[]): void {
  const products: bigint[] = []
  let product = 1n
  for (const value of values) {
    products.push(product)
    product = reduce(product * value)
  }
  let inverse = invert(product)
  for (let i = values.length - 1; i >= 0; i--) {
    const value = values[i] as bigint
    values[i] = reduce(inverse * (products[i] as bigint))
    inverse = reduce(inverse * value)
  }
}

/** Many points side by side; `xs[i]`, `ys[i]` is one of them. */
interface Points {
  xs: bigint[]
  ys: bigint[]
}

/** Represents the point at infinity in `xs`; crafted keys can reach it as an intermediate result. */
const INFINITY = -1n

/** Adds (`addX`, `addY`) to the points at `targets`, in place. None of the added points is infinity. */
function addAll(points: Points, targets: readonly number[], addX: readonly bigint[], addY: readonly bigint[]): void {
  const { xs, ys } = points
  const live: number[] = []
  const slopes: bigint[] = []
  const inverses: bigint[] = []
  for (let i = 0; i < targets.length; i++) {
    const target = targets[i] as number
    const x = xs[target] as bigint
    const y = ys[target] as bigint
    const dx = (addX[i] as bigint) - x
    const dy = (addY[i] as bigint) - y
    if (x === INFINITY) {
      xs[target] = addX[i] as bigint
      ys[target] = addY[i] as bigint
    } else if (dx === 0n && dy !== 0n) {
      xs[target] = INFINITY
    } else {
      live.push(i)
      slopes.push(dx === 0n ? reduce(3n * x * x) : dy < 0n ? dy + P : dy)
      inverses.push(dx === 0n ? 2n * y : dx < 0n ? dx + P : dx)
    }
  }
  invertAll(inverses)
  for (let n = 0; n < live.length; n++) {
    const i = live[n] as number
    const target = targets[i] as number
    const x = xs[target] as bigint
    const slope = reduce((slopes[n] as bigint) * (inverses[n] as bigint))
    const sum = reduce(slope * slope + 2n * P - x - (addX[i] as bigint))
    xs[target] = sum
    ys[target] = reduce(slope * (x >= sum ? x - sum : x - sum + P) + P - (ys[target] as bigint))
  }
}

/** Multiples 1 to HALF of 2^(WINDOW·w)·G for every window w. Built on first use: about 30 ms, 3 MB. */
let table: Points[] | undefined

function generatorTable(): Points[] {
  if (table) return table
  const made: Points[] = []
  let base = GENERATOR
  for (let window = 0; window < WINDOWS; window++) {
    const multiples: Points = { xs: [base.x], ys: [base.y] }
    // Multiples 1 to m exist: adding the m-th to each of them gives m + 1 to 2m.
    for (let m = 1; m < HALF; m *= 2) extend(multiples, m)
    made.push(multiples)
    const top: Points = { xs: [multiples.xs[HALF - 1] as bigint], ys: [multiples.ys[HALF - 1] as bigint] }
    addAll(top, [0], top.xs.slice(), top.ys.slice())
    base = { x: top.xs[0] as bigint, y: top.ys[0] as bigint }
  }
  table = made
  return made
}

function extend(multiples: Points, m: number): void {
  const { xs, ys } = multiples
  const targets: number[] = []
  for (let i = 0; i < m; i++) {
    targets.push(m + i)
    xs.push(xs[i] as bigint)
    ys.push(ys[i] as bigint)
  }
  addAll(multiples, targets, new Array(m).fill(xs[m - 1]), new Array(m).fill(ys[m - 1]))
}

/**
 * start + scalar·G for each scalar; undefined where that is the point at infinity.
 * @param scalars 32 bytes each, big-endian, below the order of the group
 */
export function addMultiples(start: CurvePoint, scalars: readonly Uint8Array[]): (CurvePoint | undefined)[] {
  const points: Points = {
    xs: new Array(scalars.length).fill(start.x),
    ys: new Array(scalars.length).fill(start.y),
  }
  const carries = new Uint8Array(scalars.length)
  generatorTable().forEach((multiples, window) => {
    const targets: number[] = []
    const addX: bigint[] = []
    const addY: bigint[] = []
    scalars.forEach((scalar, index) => {
      let digit = bitsAt(scalar, window * WINDOW) + (carries[index] as number)
      carries[index] = digit > HALF ? 1 : 0
      if (digit > HALF) digit -= 2 * HALF
      if (digit === 0) return
      const at = Math.abs(digit) - 1
      const y = multiples.ys[at] as bigint
      targets.push(index)
      addX.push(multiples.xs[at] as bigint)
      addY.push(digit < 0 ? P - y : y)
    })
    if (targets.length > 0) addAll(points, targets, addX, addY)
  })
  return points.xs.map((x, index) => (x === INFINITY ? undefined : { x, y: points.ys[index] as bigint }))
}

/** WINDOW bits from bit `position` on, counted from the least significant bit. */
function bitsAt(scalar: Uint8Array, position: number): number {
  const last = scalar.length - 1 - (position >> 3)
  const three = (scalar[last] ?? 0) | ((scalar[last - 1] ?? 0) << 8) | ((scalar[last - 2] ?? 0) << 16)
  return (three >> (position & 7)) & (2 * HALF - 1)
}

/** The point of a compressed key (33 bytes); undefined when it is not on the curve. */
export function parsePoint(publicKey: Uint8Array): CurvePoint | undefined {
  const prefix = publicKey[0]
  if (publicKey.length !== 33 || (prefix !== 2 && prefix !== 3)) return undefined
  const x = BigInt(`0x${Buffer.from(publicKey).toString('hex', 1)}`)
  if (x >= P) return undefined
  const square = reduce(reduce(x * x) * x + 7n)
  const root = power(square, (P + 1n) / 4n)
  if (reduce(root * root) !== square) return undefined
  return { x, y: (root & 1n) === BigInt(prefix & 1) ? root : P - root }
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n
  for (let bit = 255n; bit >= 0n; bit--) {
    result = reduce(result * result)
    if ((exponent >> bit) & 1n) result = reduce(result * base)
  }
  return result
}

/** 33 bytes: parity of y, then x. */
export function compressPoint({ x, y }: CurvePoint): Buffer {
  return Buffer.from(`0${2n + (y & 1n)}${x.toString(16).padStart(64, '0')}`, 'hex')
}
