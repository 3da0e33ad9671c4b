import { hash } from 'node:crypto'
import { sha256 } from './sha256.ts'

/**
 * RIPEMD-160 of SHA-256, 20 bytes: the address of a compressed public key on P and X, and the node id of a staking
 * certificate (DER).
 */
export const hash160 = (bytes: Uint8Array): Buffer => hash('ripemd160', sha256(bytes), 'buffer')
