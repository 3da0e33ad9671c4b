import { randomBytes } from 'node:crypto'

/**
 * JSON without loss of digits: integers that a double cannot hold become bigint, everything else is as JSON.parse gives
 * it. A field can therefore be a number or a bigint, depending on its size: read amounts with `BigInt(value)`.
 *
 * Speed: JSON.parse does all the work. Only a text with a run of 16 or more digits where a number may begin (not inside
 * quotes, where amounts usually are) is rewritten first: the big integers become marked strings, and the parsed tree is
 * walked once. Both ways are linear in the text and do not recurse.
 */
const MAYBE_BIG = /[[:,\s-]\d{16}/
/** A separate pattern: as an alternative in the other one it would make V8 half as slow again. */
const IS_NUMBER = /^\d{16}/
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y
/** Random per process, so that no string in an answer can pass for a number. */
const MARK = randomBytes(16).toString('hex')
const MARKED = new RegExp(`"${MARK}([^"]*)"`, 'g')

export const parseJson = (text: string): unknown => {
  const source = withoutMark(text)
  // The plain parse comes first even for big integers: it rejects broken text before anything is rewritten.
  const value: unknown = JSON.parse(source)
  return MAYBE_BIG.test(source) || IS_NUMBER.test(source) ? withNumbers(source, value, BIG) : value
}

/** A number that JavaScript would write differently from the text, or could not hold. */
export class WrittenNumber {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** JSON for texts to pass on: numbers that JavaScript writes differently (`1e400`, `1.50`) become WrittenNumber. */
export const parseJsonAsWritten = (text: string): unknown => {
  const source = withoutMark(text)
  return withNumbers(source, JSON.parse(source), ODD)
}

/** The inverse of `parseJsonAsWritten`: its numbers are written as they were. */
export const stringifyAsWritten = (value: unknown): string => {
  const mark = (_name: string, one: unknown): unknown => (one instanceof WrittenNumber ? MARK + one.text : one)
  return JSON.stringify(value, mark).replace(MARKED, '$1')
}

const withoutMark = (text: string): string => (text.charCodeAt(0) === 0xfeff ? text.slice(1) : text)

/** Numbers that JSON.parse must not read, and their replacement. */
interface OwnNumbers {
  /** Where such a number may begin, with the sign before it; also matches quoted text. */
  begins: RegExp
  has(token: string): boolean
  read(token: string): unknown
}

const BIG: OwnNumbers = {
  begins: /[[:,\s]-?\d{16}/g,
  has: (token) => token.length >= 16 && !/[.eE]/.test(token) && !Number.isSafeInteger(Number(token)),
  read: BigInt,
}

const ODD: OwnNumbers = {
  begins: /[[:,\s]-?\d/g,
  has: (token) => String(Number(token)) !== token,
  read: (token) => new WrittenNumber(token),
}

/** @param value the text as parsed by JSON.parse */
function withNumbers(source: string, value: unknown, own: OwnNumbers): unknown {
  const marked = markNumbers(source, own)
  return marked === undefined ? value : unmark(JSON.parse(marked), own.read)
}

/**
 * Undefined when the text has no such number after all. Only places where a number may begin are examined: the text
 * between them is skipped by its quotes and stays one part. A text with a hundred thousand such numbers has a million
 * others.
 */
const markNumbers = (text: string, { begins, has }: OwnNumbers): string | undefined => {
  const source = /^-?\d/.test(text) ? ` ${text}` : text
  const parts: string[] = []
  const quotes = createQuotes(source)
  let kept = 0
  begins.lastIndex = 0
  for (let found = begins.exec(source); found; found = begins.exec(source)) {
    const start = found.index + 1
    const behind = quotes.endAround(start)
    NUMBER.lastIndex = start
    const [token = ''] = (behind === undefined && NUMBER.exec(source)) || []
    begins.lastIndex = behind ?? start + token.length
    if (token === '' || !has(token)) continue
    parts.push(source.slice(kept, start), `"${MARK}${token}"`)
    kept = start + token.length
  }
  begins.lastIndex = 0
  return kept === 0 ? undefined : parts.join('') + source.slice(kept)
}

/** Tells for places, in ascending order, whether they are inside quotes. */
const createQuotes = (source: string) => {
  let end = 0
  let open = nextQuote(source, 0)
  return {
    /** The end of the quotes around the place; undefined outside of quotes. */
    endAround(place: number): number | undefined {
      while (open < place) {
        end = endOfString(source, open)
        open = nextQuote(source, end)
      }
      return place < end ? end : undefined
    },
  }
}

const nextQuote = (source: string, from: number): number => {
  const at = source.indexOf('"', from)
  return at < 0 ? source.length : at
}

const endOfString = (source: string, open: number): number => {
  let close = source.indexOf('"', open + 1)
  while (close > 0) {
    let slashes = 0
    while (source.charCodeAt(close - 1 - slashes) === 92) slashes += 1
    if (slashes % 2 === 0) return close + 1
    close = source.indexOf('"', close + 1)
  }
  return source.length
}

const unmark = (root: unknown, read: (token: string) => unknown): unknown => {
  const open: unknown[] = [root]
  while (open.length > 0) {
    const node = open.pop()
    if (Array.isArray(node)) {
      for (let index = 0; index < node.length; index += 1) {
        const value: unknown = node[index]
        if (isMark(value)) node[index] = read(value.slice(MARK.length))
        else if (isContainer(value)) open.push(value)
      }
    } else if (isContainer(node)) {
      for (const key of Object.keys(node)) {
        const value = node[key]
        if (isMark(value)) {
          const number = read(value.slice(MARK.length))
          // Keeps the property's other attributes; assigning to `__proto__` would not define it.
          Object.defineProperty(node, key, { value: number })
        } else if (isContainer(value)) open.push(value)
      }
    }
  }
  return isMark(root) ? read(root.slice(MARK.length)) : root
}

const isMark = (value: unknown): value is string => typeof value === 'string' && value.startsWith(MARK)
const isContainer = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
