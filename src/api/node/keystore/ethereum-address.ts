import { bytesToHex } from '../../../lib/bytes/ids.ts'
import { keccak256Hex } from '../../../lib/bytes/keccak256.ts'

const HEX_ADDRESS = /^(?:0[xX])?([0-9a-fA-F]{40})$/

/** 20 bytes of 40 hex digits in any case, with or without 0x; undefined when it is no such address. */
export function parseEthereumAddress(text: string): Uint8Array | undefined {
  const digits = HEX_ADDRESS.exec(text)?.[1]
  return digits === undefined ? undefined : Buffer.from(digits, 'hex')
}

/** `0x` and the digits, upper case where the hash of the lower-case digits says so (EIP-55). */
export function checksumAddress(address: Uint8Array): string {
  const digits = bytesToHex(address)
  const hash = keccak256Hex(Buffer.from(digits))
  const mixed = Array.from(digits, (digit, at) => ((hash[at] ?? '0') >= '8' ? digit.toUpperCase() : digit))
  return `0x${mixed.join('')}`
}
