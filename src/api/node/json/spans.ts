import { isSpace, skipSpace } from './validate.ts'

/** A value inside a body: the bytes from `from` up to, not including, `to`. */
export interface Span {
  from: number
  to: number
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
/** A native search costs as much as checking this many bytes one by one. */
const NEAR = 48

/** -1 when the string does not end. Long strings (transactions, call data) are searched natively. */
function stringEnd(bytes: Buffer, at: number): number {
  let position = at + 1
  let near = position + NEAR
  for (;;) {
    const byte = bytes[position]
    if (byte === QUOTE) return position + 1
    if (byte === undefined) return -1
    if (byte === BACKSLASH) {
      position += 2
      near = position + NEAR
    } else if (position < near) position += 1
    else {
      const quote = bytes.indexOf(QUOTE, position)
      if (quote < 0) return -1
      let slash = quote - 1
      while (slash >= position && bytes[slash] === BACKSLASH) slash -= 1
      if ((quote - 1 - slash) % 2 === 0) return quote + 1
      position = quote + 1
      near = position + NEAR
    }
  }
}

/**
 * Where the value that begins at `at` ends, without validating its content: brackets are only counted. Correct for
 * every well-formed value; for others the result may be anything, or -1. Linear time, no memory.
 */
export function skipValue(bytes: Buffer, at: number): number {
  const first = bytes[at]
  if (first === QUOTE) return stringEnd(bytes, at)
  let position = at
  if (first !== 0x7b && first !== 0x5b) {
    for (;;) {
      const byte = bytes[position]
      if (byte === undefined || byte === 0x2c || byte === 0x7d || byte === 0x5d || isSpace(byte))
        return position > at ? position : -1
      position += 1
    }
  }
  let depth = 0
  for (;;) {
    const byte = bytes[position]
    if (byte === undefined) return -1
    if (byte === QUOTE) {
      position = stringEnd(bytes, position)
      if (position < 0) return -1
      continue
    }
    position += 1
    if (byte === 0x7b || byte === 0x5b) depth += 1
    else if (byte === 0x7d || byte === 0x5d) {
      depth -= 1
      if (depth === 0) return position
    }
  }
}

/** Calls `visit` with every member of the object at `at`; returns where the object ends, or -1 for anything else. */
export function eachMember(
  bytes: Buffer,
  at: number,
  visit: (keyFrom: number, keyTo: number, from: number, to: number) => void,
): number {
  if (bytes[at] !== 0x7b) return -1
  let position = skipSpace(bytes, at + 1)
  if (bytes[position] === 0x7d) return position + 1
  for (;;) {
    if (bytes[position] !== QUOTE) return -1
    const keyTo = stringEnd(bytes, position)
    if (keyTo < 0) return -1
    const colon = skipSpace(bytes, keyTo)
    if (bytes[colon] !== 0x3a) return -1
    const from = skipSpace(bytes, colon + 1)
    const to = skipValue(bytes, from)
    if (to < 0) return -1
    visit(position, keyTo, from, to)
    position = skipSpace(bytes, to)
    if (bytes[position] === 0x7d) return position + 1
    if (bytes[position] !== 0x2c) return -1
    position = skipSpace(bytes, position + 1)
  }
}

/**
 * The value of the member with exactly this name, of the object at `at`; of several, the last. Undefined where there is
 * none. Names with escapes are not recognised: nodes write none.
 */
export function memberSpan(bytes: Buffer, name: string, at = 0): Span | undefined {
  let found: Span | undefined
  eachMember(bytes, at, (keyFrom, keyTo, from, to) => {
    if (keyTo - keyFrom === name.length + 2 && bytes.toString('latin1', keyFrom + 1, keyTo - 1) === name)
      found = { from, to }
  })
  return found
}

/** The same as a view of its bytes. */
export function memberOf(bytes: Buffer, name: string, at = 0): Buffer | undefined {
  const span = memberSpan(bytes, name, at)
  return span && bytes.subarray(span.from, span.to)
}

/** Calls `visit` with every element of the array at `at` until it returns false; returns false when it is no array. */
export function eachElement(bytes: Buffer, at: number, visit: (from: number, to: number) => boolean): boolean {
  if (bytes[at] !== 0x5b) return false
  let position = skipSpace(bytes, at + 1)
  if (bytes[position] === 0x5d) return true
  for (;;) {
    const to = skipValue(bytes, position)
    if (to < 0) return false
    if (!visit(position, to)) return true
    position = skipSpace(bytes, to)
    if (bytes[position] === 0x5d) return true
    if (bytes[position] !== 0x2c) return false
    position = skipSpace(bytes, position + 1)
  }
}

/** Elements of the array that these bytes begin with, as views of them; none where it is no array. */
export function elementsOf(bytes: Buffer): Buffer[] {
  const found: Buffer[] = []
  const isArray = eachElement(bytes, 0, (from, to) => {
    found.push(bytes.subarray(from, to))
    return true
  })
  return isArray ? found : []
}

/** The kind of an unparsed value, in Go's words. */
export function kindOf(bytes: Uint8Array, at: number): 'object' | 'array' | 'string' | 'number' | 'bool' | 'null' {
  switch (bytes[at]) {
    case 0x7b:
      return 'object'
    case 0x5b:
      return 'array'
    case QUOTE:
      return 'string'
    case 0x74:
    case 0x66:
      return 'bool'
    case 0x6e:
      return 'null'
    default:
      return 'number'
  }
}
