/** What settings and streams call the two Avalanche networks, in the order of all lists. */
export const SIDES = ['mainnet', 'testnet'] as const
export type Side = (typeof SIDES)[number]

/** The chains of each, likewise: a stream is `mainnet:P`. */
export const LETTERS = ['P', 'X', 'C'] as const
