import { decodeCb58 } from '../../lib/bytes/cb58.ts'
import { splitCredentials } from '../../lib/http/url-credentials.ts'
import { MASK, SECRET_NAME } from '../../lib/mask.ts'
import type { WireAnswer } from './wire.ts'

/** Takes the keys with which a server is asked out of what it says: providers repeat them in texts of errors. */
export interface OwnKeys {
  /** The same bytes where none is in them. */
  hide(said: Buffer): Buffer
  /** As `hide`, of body and headers; a body that is compressed stays as it is. */
  hideIn(answer: WireAnswer): WireAnswer
}

/** Shorter parts of a path (`v2`, `mainnet`, `ext`) are words; a key of this length is in no text by chance. */
const LEAST_IN_PATH = 16
/** Of what is known to be a secret: shorter ones may be ordinary words, which would vanish from answers. */
const LEAST_SECRET = 8
const HEX_DATA = /^0x/i
/** Answers are full of hex: a short key in these digits alone would be found where none is, and spoil an amount. */
const HEX_DIGITS = /^[0-9a-f]+$/i

/** Letters and digits, which neither words nor numbers have together. */
const isMixed = (text: string, least: number): boolean =>
  text.length >= (HEX_DIGITS.test(text) ? LEAST_IN_PATH : least) &&
  /[a-z]/i.test(text) &&
  /\d/.test(text) &&
  /^[\w.~%+/=-]+$/.test(text)

/** Ids of chains stand in paths of nodes, and in answers. */
const isId = (text: string): boolean => {
  try {
    return decodeCb58(text).length > 0
  } catch {
    return false
  }
}

const isKeyInPath = (text: string): boolean => isMixed(text, LEAST_IN_PATH) && !HEX_DATA.test(text) && !isId(text)

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** As it is written in the URL and as it is meant, the longest first: one may be a part of another. */
function keysIn(url: string, headers: Readonly<Record<string, string>>): string[] {
  const { pathname, searchParams, username, password } = new URL(url)
  const query = [...searchParams]
  const secrets = [
    ...query.filter(([name]) => SECRET_NAME.test(name)).map(([, value]) => value),
    ...[username, password].map(decoded),
    ...[headers, splitCredentials(url).headers]
      .flatMap(Object.values<string>)
      .flatMap((value) => value.split(/[\s,;]+/)),
  ].filter((text) => isMixed(text, LEAST_SECRET))
  const others = [...query.map(([, value]) => value), ...pathname.split('/').map(decoded)].filter(isKeyInPath)
  const all = new Set([...secrets, ...others].flatMap((key) => [key, encodeURIComponent(key)]))
  return [...all].sort((a, b) => b.length - a.length)
}

/**
 * @param url of a server, perhaps with keys: parts of the path that look like one, values of the query, user, password
 * @param headers with which it is asked
 */
export function createOwnKeys(url: string, headers: Readonly<Record<string, string>> = {}): OwnKeys {
  const keys = keysIn(url, headers)
  const without = (text: string): string => keys.reduce((rest, key) => rest.replaceAll(key, MASK), text)
  const hide = (said: Buffer): Buffer =>
    // Latin-1 has a character for each byte, so all others stay what they are.
    keys.some((key) => said.includes(key)) ? Buffer.from(without(said.toString('latin1')), 'latin1') : said
  const hideInHeaders = (headers: WireAnswer['headers']): WireAnswer['headers'] =>
    Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.map(without) : value && without(value),
      ]),
    )
  if (keys.length === 0) return { hide: (said) => said, hideIn: (answer) => answer }
  return {
    hide,
    hideIn: ({ status, headers, body }) => ({ status, headers: hideInHeaders(headers), body: hide(body) }),
  }
}
