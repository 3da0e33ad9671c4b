import { sha256Hex } from '../../../lib/bytes/sha256.ts'
import type { OwnAddress } from '../balances/own-address.ts'

/** Keys up to this many stand in the mark as they are: wallets have one. */
const SPELT_OUT = 4

/** More than this many are not sorted: wallets do not shuffle, and sorting 250,000 would block other requests. */
const SORTED = 64

/** P and X are asked for the same wallets at the same time, with the same list object. */
const digests = new WeakMap<readonly OwnAddress[], string>()

/**
 * What tells a scan apart, the same in any order of a few keys and addresses. Short, whatever a request asks for: a
 * wallet may have hundreds of keys and a thousand addresses, and marks are remembered.
 * @param keys each once
 */
export function scanMark(keys: readonly string[], addresses: readonly OwnAddress[]): string {
  const named = keys.length > SPELT_OUT ? [`keys ${digestOf(keys)}`] : [...keys].sort()
  if (addresses.length === 0) return named.join()
  const digest = digests.get(addresses) ?? digestOf(addresses.map(({ hex }) => hex))
  digests.set(addresses, digest)
  return [...named, digest].join()
}

const digestOf = (texts: readonly string[]): string =>
  sha256Hex(Buffer.from((texts.length > SORTED ? texts : [...texts].sort()).join(), 'latin1'))
