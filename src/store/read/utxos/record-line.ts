import { StoreCorruptError } from '../../errors.ts'

/**
 * A row as one text, `(1,,"\\x0a",…)`, for columns of numbers, bytes and UUIDs, whose texts contain no comma. Nulls are
 * empty. Drivers allocate several values for each column of each row, which for most rows of a page become garbage at
 * once; one text is a single value.
 */
export const lineOf = (columns: readonly string[]): string => `row(${columns.join(', ')})`

/** Reads the columns of such a text one after another. */
export interface LineReader {
  begin(line: string): void
  skip(): void
  /** Postgres' text; empty for null. */
  text(): string
  /** bytea as hex; undefined for null. */
  bytes(): string | undefined
  /** For a column of whole numbers below 2^53; undefined for null. */
  number(): number | undefined
  bigint(): bigint | undefined
  /** For columns that are never null. @throws StoreCorruptError when it is null */
  required<T>(value: T | undefined): T
}

const ZERO = 48
/** `(` and `)` */
const BRACKET = 1
/** `"\\x`: backslashes are doubled inside a row. */
const BEFORE_BYTES = 4
const BEHIND_BYTES = 1
/** Numbers of this many digits are always below 2^53. */
const SAFE_DIGITS = 15

export function createLineReader(): LineReader {
  let line = ''
  let at = 0

  function endOfColumn(): number {
    const comma = line.indexOf(',', at)
    return comma < 0 ? line.length - BRACKET : comma
  }

  function text(): string {
    const from = at
    const end = endOfColumn()
    at = end + 1
    return line.slice(from, end)
  }

  /** Digit by digit: a text for each number would be garbage as well. */
  function digits(end: number): number {
    let value = 0
    for (; at < end; at++) {
      const digit = line.charCodeAt(at) - ZERO
      if (digit < 0 || digit > 9) throw new StoreCorruptError(`no whole number in a row: ${line}`)
      value = value * 10 + digit
    }
    at = end + 1
    return value
  }

  return {
    begin(next) {
      line = next
      at = BRACKET
    },
    skip() {
      at = endOfColumn() + 1
    },
    text,
    bytes() {
      const from = at
      const end = endOfColumn()
      at = end + 1
      return end === from ? undefined : line.slice(from + BEFORE_BYTES, end - BEHIND_BYTES)
    },
    number() {
      const end = endOfColumn()
      if (end > at) return digits(end)
      at = end + 1
      return undefined
    },
    bigint() {
      const end = endOfColumn()
      if (end - at > SAFE_DIGITS) return BigInt(text())
      if (end > at) return BigInt(digits(end))
      at = end + 1
      return undefined
    },
    required(value) {
      if (value === undefined) throw new StoreCorruptError(`something is missing in a row: ${line}`)
      return value
    },
  }
}
