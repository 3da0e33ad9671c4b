/**
 * The built-in chains: public facts (IDs, native coins, explorers, contracts) and keyless public servers.
 * Every entry is only a default that configuration may override, remove or add to.
 */
import type { Config } from '../schema.ts'
import { avalancheEvmChains, avalancheNetworks } from './avalanche.ts'
import { bitcoinChains } from './bitcoin.ts'
import { ethereumChains } from './ethereum.ts'
import { solanaChains } from './solana.ts'

export const catalogue: Omit<Config['chains'], 'catalogue'> = {
  evm: { ...avalancheEvmChains, ...ethereumChains },
  bitcoin: bitcoinChains,
  solana: solanaChains,
  avalanche: avalancheNetworks,
}
