const BASE = 10_000
const DIGITS = 4
const HEADER = 8
const NEGATIVE = 0x4000
const MAX_EXACT = BigInt(Number.MAX_SAFE_INTEGER)

/** Size of a whole number as Postgres' binary numeric: a header, then groups of four decimal digits. */
export function decimalSize(value: bigint): number {
  return HEADER + 2 * groupsOf(value < 0n ? -value : value)
}

/** Writes the number; `decimalSize` gives its size. */
export function writeDecimal(bytes: Buffer, at: number, value: bigint): void {
  const absolute = value < 0n ? -value : value
  const groups = groupsOf(absolute)
  bytes.writeInt16BE(groups, at)
  bytes.writeInt16BE(Math.max(0, groups - 1), at + 2)
  bytes.writeUInt16BE(value < 0n ? NEGATIVE : 0, at + 4)
  // No digits after the decimal point.
  bytes.writeInt16BE(0, at + 6)
  const first = at + HEADER
  if (absolute <= MAX_EXACT) writeExact(bytes, first, groups, Number(absolute))
  else writeText(bytes, first, groups, String(absolute).padStart(groups * DIGITS, '0'))
}

function writeText(bytes: Buffer, first: number, groups: number, text: string): void {
  for (let i = 0; i < groups; i++) bytes.writeInt16BE(Number(text.slice(i * DIGITS, (i + 1) * DIGITS)), first + 2 * i)
}

/** From the last group to the first, the order in which division gives them. */
function writeExact(bytes: Buffer, first: number, groups: number, value: number): void {
  let rest = value
  for (let i = groups - 1; i >= 0; i--) {
    const left = Math.floor(rest / BASE)
    bytes.writeInt16BE(rest - left * BASE, first + 2 * i)
    rest = left
  }
}

/** 0 has no groups. */
function groupsOf(absolute: bigint): number {
  if (absolute > MAX_EXACT) return Math.ceil(String(absolute).length / DIGITS)
  let groups = 0
  for (let rest = Number(absolute); rest >= 1; rest = Math.floor(rest / BASE)) groups++
  return groups
}
