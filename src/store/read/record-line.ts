import { StoreCorruptError } from '../errors.ts'

/**
 * A row as one text, `(1,,"\\x0a",…)`, for columns that are numbers, bytes and UUIDs, none of which has a comma in its text.
 * Nulls are nothing. Drivers make several values of each column of each row, and of most rows of a page nothing else is left
 * after a moment; of one text there is one.
 */
export const lineOf = (columns: readonly string[]): string => `row(${columns.join(', ')})`

/** Reads the columns of such a text one after another. */
export interface LineReader {
  begin(line: string): void
  skip(): void
  /** As Postgres writes it; empty for null. */
  text(): string
  /** bytea as hex; undefined for null. */
  bytes(): string | undefined
  /** Of a column whose numbers are whole and below 2^53; undefined for null. */
  number(): number | undefined
  bigint(): bigint | undefined
  /** What must be there. @throws StoreCorruptError when it is null */
  required<T>(value: T | undefined): T
}

const ZERO = 48
/** `(` and `)` */
const BRACKET = 1
/** `"\\x`: backslashes are doubled in a row. */
const BEFORE_BYTES = 4
const BEHIND_BYTES = 1
/** So many digits are always below 2^53. */
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

  /** Digit by digit: a text of each number would be as much garbage as the number. */
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
