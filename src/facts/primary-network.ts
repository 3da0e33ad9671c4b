/** Names of Avalanche's two networks in settings and streams, in the order of all lists. */
export const SIDES = ['mainnet', 'testnet'] as const
export type Side = (typeof SIDES)[number]

/** The chains of a primary network, in the order of all lists: a stream is `mainnet:P`. */
export const CHAIN_LETTERS = ['P', 'X', 'C'] as const
export type ChainLetter = (typeof CHAIN_LETTERS)[number]

/** Subnet id of a primary network, and blockchain id of its P-chain; cb58. As hex it is `EMPTY_ID`. */
export const PRIMARY_NETWORK_ID = '11111111111111111111111111111111LpoYY'
