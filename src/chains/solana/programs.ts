import { decodeBase58 } from '../../lib/bytes/base58.ts'

export interface Program {
  address: string
  bytes: Uint8Array
}

const program = (address: string): Program => ({ address, bytes: decodeBase58(address) })

export const TOKEN_PROGRAM = program('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA')
export const TOKEN_2022_PROGRAM = program('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb')
export const ASSOCIATED_TOKEN_PROGRAM = program('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL')
export const METAPLEX_PROGRAM = program('metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s')

/** Owner of the runtime's own accounts, and the one of them that has the time. */
export const SYSVAR_PROGRAM = 'Sysvar1111111111111111111111111111111111111'
export const CLOCK_SYSVAR = 'SysvarC1ock11111111111111111111111111111111'

/** An owner's tokens are split over these two; leaving one out would hide money. */
export const TOKEN_PROGRAMS = [TOKEN_PROGRAM, TOKEN_2022_PROGRAM] as const
