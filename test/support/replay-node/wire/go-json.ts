/** A body or argument that Go's JSON decoder refuses; the message is the decoder's own text. */
export class GoJsonError extends Error {}

const SPACE = /[\t\n\r ]/

/** Go prints the offending byte, not the character: a byte order mark shows as its first UTF-8 byte. */
function printed(text: string, at: number): string {
  const first = Buffer.from(String.fromCodePoint(text.codePointAt(at) ?? 0), 'utf8')[0] ?? 0
  const character = String.fromCharCode(first)
  return character === "'" ? "'\\''" : `'${character}'`
}

function refuse(text: string, at: number, context: string): GoJsonError {
  if (at >= text.length) return new GoJsonError('unexpected EOF')
  return new GoJsonError(`invalid character ${printed(text, at)} ${context}`)
}

function skipSpace(text: string, at: number): number {
  let position = at
  while (position < text.length && SPACE.test(text[position] ?? '')) position++
  return position
}

function escapeEnd(text: string, at: number): number {
  const kind = text[at + 1]
  if (kind === undefined || !'bfnrtu\\/"'.includes(kind)) throw refuse(text, at + 1, 'in string escape code')
  if (kind !== 'u') return at + 2
  for (let index = at + 2; index < at + 6; index++) {
    if (!/[0-9a-fA-F]/.test(text[index] ?? '')) throw refuse(text, index, 'in \\u hexadecimal character escape')
  }
  return at + 6
}

function stringEnd(text: string, at: number): number {
  let position = at + 1
  while (position < text.length) {
    const code = text.charCodeAt(position)
    if (code === 0x22) return position + 1
    if (code < 0x20) throw refuse(text, position, 'in string literal')
    position = code === 0x5c ? escapeEnd(text, position) : position + 1
  }
  throw new GoJsonError('unexpected EOF')
}

function literalEnd(text: string, at: number, word: string): number {
  for (let index = 1; index < word.length; index++) {
    if (text[at + index] !== word[index]) {
      throw refuse(text, at + index, `in literal ${word} (expecting '${word[index]}')`)
    }
  }
  return at + word.length
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y

const MAX_DEPTH = 10_000

/** Where a value that is no object and no array ends. */
function scalarEnd(text: string, at: number): number {
  const start = text[at]
  if (start === '"') return stringEnd(text, at)
  if (start === 't') return literalEnd(text, at, 'true')
  if (start === 'f') return literalEnd(text, at, 'false')
  if (start === 'n') return literalEnd(text, at, 'null')
  NUMBER.lastIndex = at
  const number = NUMBER.exec(text)
  if (number === null) throw refuse(text, at, 'looking for beginning of value')
  return at + number[0].length
}

function keyEnd(text: string, at: number): number {
  if (text[at] !== '"') throw refuse(text, at, 'looking for beginning of object key string')
  const end = skipSpace(text, stringEnd(text, at))
  if (text[end] !== ':') throw refuse(text, end, 'after object key')
  return end + 1
}

/** Closes what ends at `at`, innermost first, up to a comma; returns where the next element begins, or the end. */
function closeContainers(text: string, at: number, open: string[]): number {
  let position = at
  while (open.length > 0) {
    const container = open.at(-1)
    position = skipSpace(text, position)
    if (text[position] === ',') {
      position = skipSpace(text, position + 1)
      return container === '}' ? skipSpace(text, keyEnd(text, position)) : position
    }
    if (text[position] !== container) {
      throw refuse(text, position, container === '}' ? 'after object key:value pair' : 'after array element')
    }
    open.pop()
    position++
  }
  return position
}

/** Where the JSON value that begins at `at` ends. No recursion: bodies may nest as deep as Go allows. */
function valueEnd(text: string, at: number): number {
  const open: string[] = []
  let position = at
  do {
    const start = text[position]
    if (start === '{' || start === '[') {
      open.push(start === '{' ? '}' : ']')
      if (open.length > MAX_DEPTH) throw new GoJsonError(`invalid character '${start}' exceeded max depth`)
      position = skipSpace(text, position + 1)
      if (text[position] !== open.at(-1)) {
        if (start === '{') position = skipSpace(text, keyEnd(text, position))
        continue
      }
      // An empty container: it closes like any other.
    } else {
      position = scalarEnd(text, position)
    }
    position = closeContainers(text, position, open)
  } while (open.length > 0)
  return position
}

/** The first JSON value of a body, unparsed; what follows is ignored, as Go's stream decoder does. */
export function firstValue(body: string): string {
  const start = skipSpace(body, 0)
  if (start >= body.length) throw new GoJsonError('EOF')
  return body.slice(start, valueEnd(body, start))
}

/** Members of an object in their order, values unparsed so that numbers above 2^53 survive. */
export function rawMembers(raw: string): [name: string, value: string][] {
  const members: [string, string][] = []
  let position = skipSpace(raw, 1)
  while (raw[position] !== '}') {
    const name: unknown = JSON.parse(raw.slice(position, stringEnd(raw, position)))
    const start = skipSpace(raw, keyEnd(raw, position))
    const end = valueEnd(raw, start)
    members.push([String(name), raw.slice(start, end)])
    position = skipSpace(raw, end)
    if (raw[position] === ',') position = skipSpace(raw, position + 1)
  }
  return members
}

/** Elements of an array, unparsed. */
export function rawElements(raw: string): string[] {
  const elements: string[] = []
  let position = skipSpace(raw, 1)
  while (raw[position] !== ']') {
    const end = valueEnd(raw, position)
    elements.push(raw.slice(position, end))
    position = skipSpace(raw, end)
    if (raw[position] === ',') position = skipSpace(raw, position + 1)
  }
  return elements
}

export type GoKind = 'object' | 'array' | 'string' | 'number' | 'bool' | 'null'

/** The kind of an unparsed value, in Go's words. */
export function kindOf(raw: string): GoKind {
  const start = raw[0]
  if (start === '{') return 'object'
  if (start === '[') return 'array'
  if (start === '"') return 'string'
  if (start === 't' || start === 'f') return 'bool'
  return start === 'n' ? 'null' : 'number'
}

/** Go matches names without regard to case and the last duplicate wins. */
export function member(raw: string, name: string): string | undefined {
  const wanted = name.toLowerCase()
  let found: string | undefined
  for (const [key, value] of rawMembers(raw)) if (key.toLowerCase() === wanted) found = value
  return found
}

/** Space between tokens removed, everything else as it was. */
export function compact(raw: string): string {
  return raw.replace(/("(?:[^"\\]|\\.)*")|[\t\n\r ]+/g, (_all, text: string | undefined) => text ?? '')
}

const ESCAPES: Record<string, string> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
}

/** What Go's encoder escapes inside strings; outside of strings these characters do not occur in JSON. */
export function goEscape(json: string): string {
  return json.replace(/[<>&\u2028\u2029]/g, (character) => ESCAPES[character] ?? character)
}
