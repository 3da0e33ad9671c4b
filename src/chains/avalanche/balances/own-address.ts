import { BadInputError, messageOf } from '../../../errors.ts'
import { bech32Length, bech32Prefix, packBech32 } from '../../../lib/bytes/bech32.ts'
import { ADDRESS_BYTES, parseBech32Address, readAddressBytes } from '../../../lib/bytes/bech32-address.ts'
import { nextTurn } from '../../../lib/waiting/next-turn.ts'

/** An address of a wallet, in the two forms that are needed. */
export interface OwnAddress {
  /** 20 bytes as lower-case hex: used to recognise owners of outputs. */
  hex: string
  /** Bech32 with the network's own HRP, without chain prefix: used in requests to the node. */
  text: string
}

/** A wallet's addresses. */
export interface OwnAddresses {
  /** Each once, in the order given. */
  list: readonly OwnAddress[]
  /** The `hex` of all of them. */
  hexes: ReadonlySet<string>
}

/** Decoding this many takes a millisecond or two; then other work gets a turn. */
const ADDRESSES_PER_TURN = 4_000

/** P and X are asked for the same wallets at the same time, with the same list object. */
const read = new WeakMap<readonly string[], { hrp: string; addresses: Promise<OwnAddresses> }>()

/**
 * Reads bare addresses of either HRP and encodes them with the network's: the same 20 bytes exist under both.
 * @throws BadInputError when the form or checksum of an address is wrong.
 */
export function ownAddresses(texts: readonly string[], hrp: string): Promise<OwnAddresses> {
  const known = read.get(texts)
  if (known?.hrp === hrp) return known.addresses
  const addresses = readAll(texts, hrp)
  // Each caller gets the error from the promise.
  addresses.catch(() => undefined)
  read.set(texts, { hrp, addresses })
  return addresses
}

async function readAll(texts: readonly string[], hrp: string): Promise<OwnAddresses> {
  const list: OwnAddress[] = []
  const hexes = new Set<string>()
  for (let start = 0; start < texts.length; start += ADDRESSES_PER_TURN) {
    if (start > 0) await nextTurn()
    for (const address of readSome(texts.slice(start, start + ADDRESSES_PER_TURN), hrp)) {
      if (hexes.has(address.hex)) continue
      hexes.add(address.hex)
      list.push(address)
    }
  }
  return { list, hexes }
}

/** All in one pass, because one request may contain 250,000: the results are slices of two long strings. */
function readSome(texts: readonly string[], hrp: string): OwnAddress[] {
  const bytes = Buffer.alloc(texts.length * ADDRESS_BYTES)
  for (const [at, text] of texts.entries()) readInto(text, bytes, at * ADDRESS_BYTES)
  const prefix = bech32Prefix(hrp)
  const length = bech32Length(prefix, ADDRESS_BYTES)
  const packed = Buffer.alloc(texts.length * length)
  texts.forEach((_, at) => {
    packBech32(prefix, bytes, at * ADDRESS_BYTES, ADDRESS_BYTES, packed, at * length)
  })
  const hex = bytes.toString('hex')
  const ours = packed.toString('latin1')
  return texts.map((_, at) => ({
    hex: hex.slice(2 * ADDRESS_BYTES * at, 2 * ADDRESS_BYTES * (at + 1)),
    text: ours.slice(length * at, length * (at + 1)),
  }))
}

function readInto(text: string, target: Buffer, at: number): void {
  try {
    readAddressBytes(text, target, at)
  } catch {
    try {
      // An upper-case address is valid as well; for others this says what is wrong.
      target.set(parseBech32Address(text).bytes, at)
    } catch (error) {
      throw new BadInputError(`address ${text}: ${messageOf(error)}`, error)
    }
  }
}
