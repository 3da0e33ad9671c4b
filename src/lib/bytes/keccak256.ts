import { createKeccak } from 'hash-wasm'

/**
 * In WebAssembly: Keccak's lanes are 64 bits wide, and splitting them in JavaScript takes ten times as long (500 bytes:
 * 30 us instead of 3).
 */
const hasher = await createKeccak(256)

/** Keccak-256 as in Ethereum, of `bytes`, as a separate 32-byte Buffer. */
export function keccak256(bytes: Uint8Array): Buffer {
  const { buffer, byteOffset, length } = hasher.init().update(bytes).digest('binary')
  return Buffer.from(buffer, byteOffset, length)
}

/** Keccak-256 of `bytes` as 64 lower-case hex digits. */
export function keccak256Hex(bytes: Uint8Array): string {
  return hasher.init().update(bytes).digest('hex')
}
