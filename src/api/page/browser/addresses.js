/** @import { Account, Facts } from './wire.js' */

/** Limits the readings of one paste, which could otherwise be thousands. */
export const MOST_ACCOUNTS = 200

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
/** The forms that the balance API takes (openapi/balance.json); anything else would be refused as a whole. */
const EVM = /^0x[0-9a-fA-F]{40}$/
const BITCOIN = /^(bc1|tb1|1|3)[a-zA-HJ-NP-Z0-9]{25,39}$/
const SOLANA = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/
const XPUB = /^xpub[1-9A-HJ-NP-Za-km-z]{107}$/
const SECRET =
  /^([A-Za-z]prv[1-9A-HJ-NP-Za-km-z]{20,}|PrivateKey-.+|(0x)?[0-9a-fA-F]{64}|[59KLc][1-9A-HJ-NP-Za-km-z]{50,51}|[1-9A-HJ-NP-Za-km-z]{85,88})$/
/** A Solana key as its command line keeps it: 64 numbers between brackets. */
const KEY_FILE = /\[\s*\d{1,3}(?:\s*,\s*\d{1,3}){31,63}\s*\]/
/** Seed phrases have at least this many short words, of any language; phones write the first with a capital. */
const PHRASE_WORDS = 12
const PHRASE_WORD = /^[\p{L}\p{M}]{1,10}$/u

/**
 * Parses pasted text word by word. Unknown words are returned with the reason; secrets are never repeated.
 * @param {string} text
 * @param {Facts['prefixes']} prefixes
 * @returns {{ accounts: Account[], unknown: { text: string, why: string }[], secret: boolean, tooMany: number }}
 */
export function readAddresses(text, prefixes) {
  /** @type {Map<string, Account>} */
  const accounts = new Map()
  /** @type {{ text: string, why: string }[]} */
  const unknown = []
  let secret = false
  let tooMany = 0
  const words = text.split(/[\s,;"'<>|]+/).filter((word) => word !== '')
  const phrase = KEY_FILE.test(text) || words.filter((word) => PHRASE_WORD.test(word)).length >= PHRASE_WORDS
  for (const word of words) {
    const account = readAddress(word, prefixes)
    if (account) {
      const key = keyOf(account)
      const same = accounts.get(key)
      if (same) accounts.set(key, { ...same, letters: [...new Set([...same.letters, ...account.letters])] })
      else if (accounts.size >= MOST_ACCOUNTS) tooMany += 1
      else accounts.set(key, account)
    } else if (phrase || isSecret(word)) secret = true
    else unknown.push({ text: word, why: reasonFor(word) })
  }
  return { accounts: [...accounts.values()], unknown, secret, tooMany }
}

/**
 * The text that `readAddresses` reads back as this account.
 * @param {Account} account
 */
export function writeAddress({ kind, id, letters }) {
  return kind === 'avalanche' && letters.length < 3 ? letters.map((letter) => `${letter}-${id}`).join(' ') : id
}

/** @param {Account} account */
const keyOf = ({ kind, id }) => `${kind} ${kind === 'evm' ? id.toLowerCase() : id}`

/**
 * @param {string} word
 * @param {Facts['prefixes']} prefixes
 * @returns {Account | undefined}
 */
function readAddress(word, prefixes) {
  if (EVM.test(word)) return { kind: 'evm', id: word, side: 'both', letters: [] }
  if (XPUB.test(word)) return { kind: 'xpub', id: word, side: 'both', letters: ['P', 'X'] }
  const avalanche = readAvalanche(word, prefixes)
  if (avalanche) return avalanche
  if (isSecret(word)) return undefined
  // Both are base58; the number of bytes distinguishes a Solana key from an old Bitcoin address.
  if (SOLANA.test(word) && base58Bytes(word) === 32) return { kind: 'solana', id: word, side: 'both', letters: [] }
  if (BITCOIN.test(word) && (/^(bc1|tb1)/.test(word) || base58Bytes(word) === 25)) {
    return { kind: 'bitcoin', id: word, side: word.startsWith('tb1') ? 'testnet' : 'mainnet', letters: [] }
  }
  return undefined
}

/**
 * @param {string} word
 * @param {Facts['prefixes']} prefixes
 * @returns {Account | undefined}
 */
function readAvalanche(word, prefixes) {
  const parts = /^(?:([PXC])-)?([a-z0-9-]+?)1([02-9ac-hj-np-z]{38})$/.exec(word)
  if (!parts) return undefined
  const [, letter, prefix = '', data = ''] = parts
  // Several private networks may share one prefix.
  const [side, other] = /** @type {const} */ (['mainnet', 'testnet']).filter((one) => prefixes[one].includes(prefix))
  if (side === undefined) return undefined
  const letters =
    letter === undefined ? /** @type {const} */ (['P', 'X', 'C']) : [/** @type {'P' | 'X' | 'C'} */ (letter)]
  return { kind: 'avalanche', id: `${prefix}1${data}`, side: other === undefined ? side : 'both', letters }
}

/** @param {string} word */
const isSecret = (word) => SECRET.test(word)

/** @param {string} word */
function reasonFor(word) {
  if (/^0x/i.test(word)) return 'an EVM address is 0x and 40 hex digits'
  if (/^(bc1|tb1)/i.test(word) && word.length > 42) return 'Taproot and other long Bitcoin addresses are not served'
  if (/^[mn2][1-9A-HJ-NP-Za-km-z]{25,34}$/.test(word)) return 'of Bitcoin test addresses only those with tb1 are served'
  if (/^[A-Za-wyz]pub[1-9A-HJ-NP-Za-km-z]{20,}$/.test(word))
    return 'of extended public keys only xpub… is served, for P and X'
  if (/^xpub/.test(word)) return 'an extended public key has 111 characters'
  if (/^([PXC]-)?[a-z]+1/.test(word)) return 'no X, P or C address of a network that is served'
  return 'no address of a chain that is served'
}

/**
 * Decoded length of base58 text; undefined when it is not base58.
 * @param {string} text at most 44 characters
 * @returns {number | undefined}
 */
function base58Bytes(text) {
  let value = 0n
  for (const letter of text) {
    const digit = BASE58.indexOf(letter)
    if (digit < 0) return undefined
    value = value * 58n + BigInt(digit)
  }
  const zeros = /^1*/.exec(text)?.[0].length ?? 0
  const hex = value === 0n ? '' : value.toString(16)
  return zeros + Math.ceil(hex.length / 2)
}
