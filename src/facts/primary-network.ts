/** Names of Avalanche's two networks in settings and streams, in the order of all lists. */
export const SIDES = ['mainnet', 'testnet'] as const
export type Side = (typeof SIDES)[number]

/** The chains of a primary network, in the order of all lists: a stream is `mainnet:P`. */
export const CHAIN_LETTERS = ['P', 'X', 'C'] as const
export type ChainLetter = (typeof CHAIN_LETTERS)[number]

/** The names that every node has for these chains from its start, besides their blockchain ids. */
export const PRIMARY_ALIASES: Readonly<Record<ChainLetter, readonly string[]>> = {
  P: ['P', 'platform'],
  X: ['X', 'avm'],
  C: ['C', 'evm'],
}

const CHAIN_OF_ALIAS: ReadonlyMap<string, ChainLetter> = new Map(
  CHAIN_LETTERS.flatMap((letter) => PRIMARY_ALIASES[letter].map((alias) => [alias, letter] as const)),
)

/** The chain that every node calls by this alias (case-sensitive); undefined = none is. */
export const chainOfAlias = (alias: string): ChainLetter | undefined => CHAIN_OF_ALIAS.get(alias)

/** Subnet id of a primary network, and blockchain id of its P-chain; cb58. As hex it is `EMPTY_ID`. */
export const PRIMARY_NETWORK_ID = '11111111111111111111111111111111LpoYY'
