import { encodeRlpList, readRlpItems } from '../../../chains/avalanche/codec/c/rlp.ts'
import { CodecError } from '../../../chains/avalanche/codec/index.ts'
import { expectEnd, openCursor } from '../../../chains/avalanche/codec/reader.ts'

/** Mix hash of all headers of IBFT, IBFT 2 and QBFT: private networks of Besu and GoQuorum. */
const ISTANBUL_MIX = '0x63746963616c2062797a616e74696e65206661756c7420746f6c6572616e6365'
/** Bytes before the list in headers of the first IBFT. */
const VANITY_BYTES = 32
/** IBFT 2 writes a round in this many bytes, head included; QBFT uses as few as needed. */
const IBFT2_ROUND_BYTES = 5
const EMPTY_LIST = Uint8Array.of(0xc0)
const ROUND_ZERO = Uint8Array.of(0x80)

const listIn = (bytes: Uint8Array): Uint8Array[] => {
  const cursor = openCursor(bytes, 'extraData')
  const items = readRlpItems(cursor, 'extraData')
  expectEnd(cursor)
  return items
}

/** For IBFT 2 and QBFT, where all extra data is one list. */
function ofList(bytes: Buffer): Uint8Array | undefined {
  const [vanity, validators, vote, round] = listIn(bytes)
  if (!vanity || !validators || !vote || !round) return undefined
  const told = [vanity, validators, vote]
  return encodeRlpList(round.length === IBFT2_ROUND_BYTES ? told : [...told, ROUND_ZERO, EMPTY_LIST])
}

function behindVanity(bytes: Buffer): Uint8Array | undefined {
  const [validators, seal] = listIn(bytes.subarray(VANITY_BYTES))
  if (!validators || !seal) return undefined
  return Buffer.concat([bytes.subarray(0, VANITY_BYTES), encodeRlpList([validators, seal, EMPTY_LIST])])
}

/** The bytes may be anything. */
const orNothing = (read: (bytes: Buffer) => Uint8Array | undefined, bytes: Buffer): Uint8Array | undefined => {
  try {
    return read(bytes)
  } catch (error) {
    if (error instanceof CodecError) return undefined
    throw error
  }
}

/**
 * `extraData` as such a network hashes it: validators seal a block by its hash, each node has different seals for it,
 * and voting may have taken another round. Undefined on other chains.
 */
export function unsealedExtra({ mixHash, extraData }: { mixHash?: unknown; extraData?: unknown }): string | undefined {
  if (typeof extraData !== 'string' || String(mixHash).toLowerCase() !== ISTANBUL_MIX) return undefined
  const bytes = Buffer.from(extraData.slice(2), 'hex')
  const hashed = orNothing(ofList, bytes) ?? orNothing(behindVanity, bytes)
  return hashed && `0x${Buffer.from(hashed).toString('hex')}`
}
