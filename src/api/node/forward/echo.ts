const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|(.))/g
const CONTROL: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }
const HALF_OF_PAIR = /\p{Surrogate}/gu
/** Bytes. What is longer counts as holding the words: to read millions of escapes takes seconds, and strangers send them. */
const MOST_READ = 131_072

const plain = (asked: Buffer): string =>
  asked
    .toString('utf8')
    .replace(ESCAPE, (_, code: string | undefined, sign = '') =>
      code === undefined ? (CONTROL[sign] ?? sign) : String.fromCharCode(Number.parseInt(code, 16)),
    )
    .replace(HALF_OF_PAIR, '\ufffd')
    .toLowerCase()

/**
 * Whether words of an error stand in what was asked: nodes repeat names and addresses of the caller (`rpc: can't find
 * method "…"`, `there is no ID with alias: …`), in part and in other case. What strangers make a node say is nothing that
 * it says of itself.
 * @param asked JSON as it was sent; undefined = nothing was
 */
export const isEcho = (words: string, asked: Buffer | undefined): boolean =>
  asked !== undefined && (asked.length > MOST_READ || plain(asked).includes(words.toLowerCase()))
