const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|(.))/g
const CONTROL: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }
const HALF_OF_PAIR = /\p{Surrogate}/gu
/**
 * Bytes. Longer calls are assumed to contain the words: callers send millions of escapes, which take seconds to parse.
 */
const MOST_READ = 131_072

const plain = (asked: Buffer): string =>
  asked
    .toString('utf8')
    .replace(ESCAPE, (_, code: string | undefined, sign = '') =>
      code === undefined ? (CONTROL[sign] ?? sign) : String.fromCharCode(Number.parseInt(code, 16)),
    )
    .replace(HALF_OF_PAIR, '\ufffd')
    .toLowerCase()

/** Whether words of an error are the caller's own. */
export type IsEcho = (words: string) => boolean

/**
 * Whether the words of an error appear in the call: nodes repeat the caller's names and addresses (`rpc: can't find
 * method "…"`, `there is no ID with alias: …`), in part and in another case. Words that a caller makes a node repeat
 * say nothing about the node.
 *
 * The call is read when it is first needed, and once: each of the thousand calls of a batch may be answered by an error
 * that repeats its words.
 * @param asked JSON as sent; undefined = nothing was sent
 */
export function createEcho(asked: Buffer | undefined): IsEcho {
  if (asked === undefined) return () => false
  if (asked.length > MOST_READ) return () => true
  let text: string | undefined
  const told = new Map<string, boolean>()
  return (said) => {
    const words = said.toLowerCase()
    const known = told.get(words)
    if (known !== undefined) return known
    text ??= plain(asked)
    const isIn = text.includes(words)
    told.set(words, isIn)
    return isIn
  }
}
