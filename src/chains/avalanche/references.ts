import { AVALANCHE_REFERENCES } from '../../facts/caip.ts'
import type { ChainLetter, Side } from '../../facts/primary-network.ts'

const caip2IdsOf = ({
  pvm,
  avm,
  coreth,
}: (typeof AVALANCHE_REFERENCES)[Side]): Readonly<Record<ChainLetter, string>> => ({
  P: `avax:${pvm}`,
  X: `avax:${avm}`,
  C: `avax:${coreth}`,
})

/** CAIP-2 identifiers of P, X and C's shared memory on the balance API. */
export const AVALANCHE_CAIP2 = {
  mainnet: caip2IdsOf(AVALANCHE_REFERENCES.mainnet),
  testnet: caip2IdsOf(AVALANCHE_REFERENCES.testnet),
}
