import { randomBytes } from 'node:crypto'

/**
 * JSON that loses no digit: integers that a double cannot hold arrive as bigint, everything else as JSON.parse gives
 * it. A field can therefore be a number or a bigint, depending on its size: read amounts with `BigInt(value)`.
 *
 * Speed: JSON.parse does all the work. Only a text that shows a run of 16 or more digits where a number may begin
 * (not inside quotes, where amounts usually are) is first rewritten: the big integers become marked strings, and the
 * parsed tree is walked once. Both ways are linear in the text and do not recurse.
 */
const MAYBE_BIG = /(?:^|[[:,\s-])\d{16}/
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g
/** Made up per process, so that no string of an answer can pass for a big integer. */
const MARK = randomBytes(16).toString('hex')

export const parseJson = (text: string): unknown => {
  const source = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  // The plain parse comes first also for big integers: it refuses broken text before anything is rewritten.
  const value: unknown = JSON.parse(source)
  if (!MAYBE_BIG.test(source)) return value
  const marked = markBigIntegers(source)
  return marked === undefined ? value : unmark(JSON.parse(marked))
}

const isUnsafeInteger = (token: string): boolean =>
  token.length >= 16 && !/[.eE]/.test(token) && !Number.isSafeInteger(Number(token))

/** Undefined when the text holds no such integer after all. */
const markBigIntegers = (source: string): string | undefined => {
  const parts: string[] = []
  let found = false
  const replace = (token: string): string => {
    if (!isUnsafeInteger(token)) return token
    found = true
    return `"${MARK}${token}"`
  }
  let at = 0
  while (at < source.length) {
    const open = source.indexOf('"', at)
    const outside = open < 0 ? source.slice(at) : source.slice(at, open)
    parts.push(outside.length < 16 ? outside : outside.replace(NUMBER, replace))
    if (open < 0) break
    const close = endOfString(source, open)
    parts.push(source.slice(open, close))
    at = close
  }
  return found ? parts.join('') : undefined
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

const revive = (value: unknown): unknown =>
  typeof value === 'string' && value.startsWith(MARK) ? BigInt(value.slice(MARK.length)) : value

const unmark = (root: unknown): unknown => {
  const open: unknown[] = [root]
  while (open.length > 0) {
    const node = open.pop()
    if (Array.isArray(node)) {
      for (let index = 0; index < node.length; index += 1) {
        node[index] = revive(node[index])
        if (isContainer(node[index])) open.push(node[index])
      }
    } else if (isContainer(node)) {
      for (const key of Object.keys(node)) {
        const value = revive(node[key])
        if (typeof value === 'bigint') Object.defineProperty(node, key, { value, writable: true, enumerable: true })
        else if (isContainer(value)) open.push(value)
      }
    }
  }
  return revive(root)
}

const isContainer = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
