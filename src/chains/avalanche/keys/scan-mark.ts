import { sha256Hex } from '../../../lib/bytes/sha256.ts'

/** Keys up to this many stand in the mark as they are: wallets have one. */
const SPELT_OUT = 4

/**
 * What tells a scan apart, the same in any order. Short, whatever a request asks for: a wallet may have hundreds of keys
 * and a thousand addresses, and marks are remembered.
 * @param keys each once; @param addresses hex
 */
export function scanMark(keys: readonly string[], addresses: readonly string[]): string {
  const named = keys.length > SPELT_OUT ? [`keys ${digestOf(keys)}`] : [...keys].sort()
  return [...named, ...(addresses.length > 0 ? [digestOf(addresses)] : [])].join()
}

const digestOf = (texts: readonly string[]): string => sha256Hex(Buffer.from([...texts].sort().join(), 'latin1'))
