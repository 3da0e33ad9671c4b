/**
 * CAIP-2 identifiers of the platform chains on the balance API. The API fixes the reference: the first 32 characters of
 * base64url(sha256(blockchain id)) of the PUBLIC networks, even if a private network stands in.
 */
export const AVALANCHE_CAIP2 = {
  mainnet: {
    P: 'avax:Rr9hnPVPxuUvrdCul-vjEsU1zmqKqRDo',
    X: 'avax:imji8papUf2EhV3le337w1vgFauqkJg-',
    C: 'avax:8aDU0Kqh-5d23op-B-r-4YbQFRbsgF9a',
  },
  testnet: {
    P: 'avax:Sj7NVE3jXTbJvwFAiu7OEUo_8g8ctXMG',
    X: 'avax:8AJTpRj3SAqv1e80Mtl9em08LhvKEbkl',
    C: 'avax:YRLfeDBJpfEqUWe2FYR1OpXsnDDZeKWd',
  },
} as const
