import { decodeCb58 } from '../../../lib/bytes/cb58.ts'
import { MethodError } from '../gorilla/local-service.ts'
import { goQuote } from '../json/go-quote.ts'
import { Bech32Error, decodeBech32 } from './node-bech32.ts'

export interface AddressRules {
  /** The network's. */
  hrp: string
  /** The chain the address must belong to, cb58. */
  blockchainId: string
  /** Blockchain id for an alias or id, cb58. */
  lookup(alias: string): string | undefined
}

const ADDRESS_BYTES = 20
/** A short id has 33 or 34 characters; longer texts are not decoded. */
const MAX_SHORT_ID = 64

/**
 * The 20 bytes of an address of P or X as key methods accept it: a bare short id (cb58), or `<chain>-<hrp>1…` with any
 * alias of the chain.
 * @throws MethodError with the node's text, which is about the second form
 */
export function parseServiceAddress(text: string, rules: AddressRules): Uint8Array {
  return shortId(text) ?? localAddress(text, rules)
}

function shortId(text: string): Uint8Array | undefined {
  if (text.length > MAX_SHORT_ID) return undefined
  try {
    return decodeCb58(text, ADDRESS_BYTES)
  } catch {
    return undefined
  }
}

function localAddress(text: string, { hrp, blockchainId, lookup }: AddressRules): Uint8Array {
  const wrong = (problem: string): MethodError => new MethodError(`couldn't parse address ${goQuote(text)}: ${problem}`)
  const dash = text.indexOf('-')
  if (dash < 0) throw wrong('no separator found in address')
  try {
    const address = decodeBech32(text.slice(dash + 1))
    const chain = lookup(text.slice(0, dash))
    if (chain === undefined) throw wrong(`there is no ID with alias: ${text.slice(0, dash)}`)
    if (address.hrp !== hrp) throw wrong(`expected hrp ${goQuote(hrp)} but got ${goQuote(address.hrp)}`)
    if (address.bytes.length !== ADDRESS_BYTES)
      throw wrong(`invalid hash length: expected ${ADDRESS_BYTES} bytes but got ${address.bytes.length}`)
    if (chain !== blockchainId)
      throw wrong(`mismatched chainIDs: expected ${goQuote(blockchainId)} but got ${goQuote(chain)}`)
    return address.bytes
  } catch (error) {
    throw error instanceof Bech32Error ? wrong(error.message) : error
  }
}
