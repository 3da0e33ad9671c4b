import { formatBech32Address, parseBech32Address } from '../../../lib/bech32-address.ts'
import { bytesToHex } from '../../../lib/ids.ts'

/** An address of ours, in the two forms the work needs. */
export interface OwnAddress {
  /** 20 bytes as lower-case hex: how owners of outputs are recognised. */
  hex: string
  /** Bech32 with the network's own HRP, without chain prefix: how the node is asked. */
  text: string
}

/**
 * Reads a bare address of either HRP and re-encodes it for the network: the same 20 bytes exist under both.
 * @throws BadInputError when form or checksum is wrong.
 */
export function ownAddress(text: string, hrp: string): OwnAddress {
  const { bytes, hrp: given } = parseBech32Address(text)
  return { hex: bytesToHex(bytes), text: given === hrp ? text.toLowerCase() : formatBech32Address(bytes, hrp) }
}
