import { CodecError } from '../../../chains/avalanche/codec/index.ts'
import { expectEnd, openCursor } from '../../../chains/avalanche/codec/reader.ts'
import { encodeRlpList, readRlpItems } from '../../../chains/avalanche/codec/rlp.ts'

/** What all headers of IBFT, IBFT 2 and QBFT have there: private networks of Besu and GoQuorum. */
const ISTANBUL_MIX = '0x63746963616c2062797a616e74696e65206661756c7420746f6c6572616e6365'
/** Before the list in headers of the first IBFT. */
const VANITY_BYTES = 32
/** IBFT 2 writes a round in so many bytes, head included, QBFT in as few as it takes. */
const IBFT2_ROUND_BYTES = 5
const EMPTY_LIST = Uint8Array.of(0xc0)
const ROUND_ZERO = Uint8Array.of(0x80)

const listIn = (bytes: Uint8Array): Uint8Array[] => {
  const cursor = openCursor(bytes, 'extraData')
  const items = readRlpItems(cursor, 'extraData')
  expectEnd(cursor)
  return items
}

/** Of IBFT 2 and QBFT, where all is one list. */
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

/** What somebody wrote there may be anything. */
const orNothing = (read: (bytes: Buffer) => Uint8Array | undefined, bytes: Buffer): Uint8Array | undefined => {
  try {
    return read(bytes)
  } catch (error) {
    if (error instanceof CodecError) return undefined
    throw error
  }
}

/**
 * `extraData` as such a network hashes it: validators seal a block by its hash, each node has other seals of it, and it may
 * have taken another round of votes. Undefined on other chains.
 */
export function unsealedExtra({ mixHash, extraData }: { mixHash?: unknown; extraData?: unknown }): string | undefined {
  if (typeof extraData !== 'string' || String(mixHash).toLowerCase() !== ISTANBUL_MIX) return undefined
  const bytes = Buffer.from(extraData.slice(2), 'hex')
  const hashed = orNothing(ofList, bytes) ?? orNothing(behindVanity, bytes)
  return hashed && `0x${Buffer.from(hashed).toString('hex')}`
}
