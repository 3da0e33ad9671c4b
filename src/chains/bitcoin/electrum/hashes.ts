import { BadAnswerError } from '../../../errors.ts'
import { sha256 } from '../../../lib/bytes/sha256.ts'

/** Block hash of an 80-byte header in hex, as explorers show it. Throws BadAnswerError for anything else. */
export const blockHashOf = (header: unknown): string => {
  if (typeof header !== 'string' || !/^[0-9a-fA-F]{160}$/.test(header)) {
    throw new BadAnswerError('block header is not 80 bytes of hex')
  }
  return sha256(sha256(Buffer.from(header, 'hex')))
    .reverse()
    .toString('hex')
}

/** A script's id on Electrum servers: its SHA-256 in reverse, hex. */
export const scriptHash = (script: Uint8Array): string => sha256(script).reverse().toString('hex')
