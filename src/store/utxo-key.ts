import { encodeCb58 } from '../lib/cb58.ts'
import { sha256 } from '../lib/sha256.ts'

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const DIGITS = new Map([...ALPHABET].map((character, index) => [character, index + 1]))
const BASE = 59
/** 59^21 < 2^128; a birthday collision needs some 2^61 ids. */
const CHARACTERS = 21
const GROUP = 7
const GROUP_FACTOR = BigInt(BASE ** GROUP)

/** The id of a UTXO: sha256 of the output index as u64 and the transaction id (wire-format rule). Hex in, hex out. */
export function utxoId(txId: string, outputIndex: number): Uint8Array {
  const bytes = Buffer.alloc(40)
  bytes.writeUInt32BE(outputIndex, 4)
  bytes.write(txId, 8, 'hex')
  return sha256(bytes)
}

/**
 * Key of a UTXO in the database: 16 bytes as hex whose order is the order of the cb58 texts of the ids, which lists are
 * sorted by when time or amount are equal. Half the size of the id in every index; the beginning of the text (with "no
 * character" as the smallest digit) is read as a number to base 59.
 */
export function utxoKey(txId: string, outputIndex: number): string {
  const text = encodeCb58(utxoId(txId, outputIndex))
  let key = 0n
  for (let at = 0; at < CHARACTERS; at += GROUP) {
    let group = 0
    for (let i = at; i < at + GROUP; i++) group = group * BASE + (DIGITS.get(text[i] ?? '') ?? 0)
    key = key * GROUP_FACTOR + BigInt(group)
  }
  return key.toString(16).padStart(32, '0')
}

/** The form of a key that comes back from the database (uuid text) as hex. */
export const keyFromUuid = (uuid: string): string => uuid.replaceAll('-', '')
