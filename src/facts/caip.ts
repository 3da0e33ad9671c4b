/**
 * CAIP-2 namespaces and the fixed chain references of the balance API.
 * Avalanche references are the first 32 characters of base64url(sha256(blockchain id text)); the testnet text is
 * `fuji` + blockchain id. A private network that stands in for one of the two keeps that network's references.
 */
export const AVALANCHE_REFERENCES = {
  mainnet: {
    pvm: 'Rr9hnPVPxuUvrdCul-vjEsU1zmqKqRDo',
    avm: 'imji8papUf2EhV3le337w1vgFauqkJg-',
    coreth: '8aDU0Kqh-5d23op-B-r-4YbQFRbsgF9a',
  },
  testnet: {
    pvm: 'Sj7NVE3jXTbJvwFAiu7OEUo_8g8ctXMG',
    avm: '8AJTpRj3SAqv1e80Mtl9em08LhvKEbkl',
    coreth: 'YRLfeDBJpfEqUWe2FYR1OpXsnDDZeKWd',
  },
} as const

/** First 32 hex characters of the genesis block hash: main chain, testnet3. */
export const BITCOIN_REFERENCES = {
  mainnet: '000000000019d6689c085ae165831e93',
  testnet: '000000000933ea01ad0ee984209779ba',
} as const

/** First 32 base58 characters of the genesis hash: mainnet-beta, devnet. */
export const SOLANA_REFERENCES = {
  mainnet: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  devnet: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
} as const

export const NAMESPACES = ['eip155', 'bip122', 'solana', 'avax'] as const
