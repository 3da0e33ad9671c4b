/**
 * Solana: lamports and the tokens of both token programs, read for all accounts of a request in one round of calls.
 * Account data is decoded here from its bytes; mint facts are read once and remembered.
 */
export { solanaPool } from './pool.ts'
export { createSolanaBalanceSource } from './source.ts'
