import { GoJsonError } from './go-json-error.ts'
import { goQuoteByte } from './go-quote.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const COMMA = 0x2c
const COLON = 0x3a

/** Go refuses deeper nesting. */
const MAX_DEPTH = 10_000

const LITERALS = new Map([
  [0x74, 'true'],
  [0x66, 'false'],
  [0x6e, 'null'],
])

/** Validation never awaits, so that one stack serves all calls: nested bodies need neither recursion nor allocation. */
const stack = new Uint8Array(MAX_DEPTH + 1)

const refuse = (bytes: Uint8Array, at: number, context: string): GoJsonError => {
  const byte = bytes[at]
  return byte === undefined
    ? new GoJsonError('unexpected EOF')
    : new GoJsonError(`invalid character ${goQuoteByte(byte)} ${context}`)
}

export const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39

const isHexDigit = (byte: number | undefined): boolean =>
  isDigit(byte) || (byte !== undefined && (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66)

export const skipSpace = (bytes: Uint8Array, at: number): number => {
  let position = at
  while (isSpace(bytes[position])) position += 1
  return position
}

const escapeEnd = (bytes: Uint8Array, at: number): number => {
  const kind = bytes[at + 1]
  if (kind === 0x75) {
    for (let index = at + 2; index < at + 6; index += 1)
      if (!isHexDigit(bytes[index])) throw refuse(bytes, index, 'in \\u hexadecimal character escape')
    return at + 6
  }
  if (kind === undefined || !'bfnrt\\/"'.includes(String.fromCharCode(kind)))
    throw refuse(bytes, at + 1, 'in string escape code')
  return at + 2
}

const stringEnd = (bytes: Uint8Array, at: number): number => {
  let position = at + 1
  for (;;) {
    const byte = bytes[position]
    if (byte === QUOTE) return position + 1
    if (byte === BACKSLASH) position = escapeEnd(bytes, position)
    else if (byte === undefined || byte < 0x20) throw refuse(bytes, position, 'in string literal')
    else position += 1
  }
}

const digitsEnd = (bytes: Uint8Array, at: number, context: string): number => {
  if (!isDigit(bytes[at])) throw refuse(bytes, at, context)
  let position = at + 1
  while (isDigit(bytes[position])) position += 1
  return position
}

const numberEnd = (bytes: Uint8Array, at: number): number => {
  let position = at
  if (bytes[position] === 0x2d) position += 1
  // A leading zero stands alone; the following byte is checked as what comes after the value.
  if (bytes[position] === 0x30) position += 1
  else position = digitsEnd(bytes, position, 'in numeric literal')
  if (bytes[position] === 0x2e) position = digitsEnd(bytes, position + 1, 'after decimal point in numeric literal')
  if ((bytes[position] ?? 0) === 0x65 || bytes[position] === 0x45) {
    position += 1
    if (bytes[position] === 0x2b || bytes[position] === 0x2d) position += 1
    position = digitsEnd(bytes, position, 'in exponent of numeric literal')
  }
  return position
}

const literalEnd = (bytes: Uint8Array, at: number, word: string): number => {
  for (let index = 1; index < word.length; index += 1)
    if (bytes[at + index] !== word.charCodeAt(index))
      throw refuse(bytes, at + index, `in literal ${word} (expecting '${word[index]}')`)
  return at + word.length
}

const scalarEnd = (bytes: Uint8Array, at: number): number => {
  const byte = bytes[at]
  if (byte === QUOTE) return stringEnd(bytes, at)
  if (byte === 0x2d || isDigit(byte)) return numberEnd(bytes, at)
  const word = byte === undefined ? undefined : LITERALS.get(byte)
  if (word === undefined) throw refuse(bytes, at, 'looking for beginning of value')
  return literalEnd(bytes, at, word)
}

/** Returns where the member's value begins. */
const keyEnd = (bytes: Uint8Array, at: number): number => {
  if (bytes[at] !== QUOTE) throw refuse(bytes, at, 'looking for beginning of object key string')
  const end = skipSpace(bytes, stringEnd(bytes, at))
  if (bytes[end] !== COLON) throw refuse(bytes, end, 'after object key')
  return skipSpace(bytes, end + 1)
}

/**
 * Where the JSON value that begins at `at` ends, validated like Go's decoder does. Time and memory are linear in the
 * length, whatever the nesting.
 * @throws GoJsonError with the decoder's text.
 */
export function validateValue(bytes: Uint8Array, at: number): number {
  let depth = 0
  let position = at
  for (;;) {
    const byte = bytes[position]
    let ended = true
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      const close = byte === OPEN_OBJECT ? CLOSE_OBJECT : CLOSE_ARRAY
      if (depth >= MAX_DEPTH) throw refuse(bytes, position, 'exceeded max depth')
      position = skipSpace(bytes, position + 1)
      if (bytes[position] === close) position += 1
      else {
        stack[depth] = close
        depth += 1
        if (byte === OPEN_OBJECT) position = keyEnd(bytes, position)
        ended = false
      }
    } else position = scalarEnd(bytes, position)
    // Closes what ends here, innermost first, up to the comma before the next element.
    while (ended && depth > 0) {
      const close = stack[depth - 1]
      position = skipSpace(bytes, position)
      const next = bytes[position]
      if (next === COMMA) {
        position = skipSpace(bytes, position + 1)
        if (close === CLOSE_OBJECT) position = keyEnd(bytes, position)
        ended = false
      } else if (next === close) {
        depth -= 1
        position += 1
      } else
        throw refuse(bytes, position, close === CLOSE_OBJECT ? 'after object key:value pair' : 'after array element')
    }
    if (ended) return position
  }
}
