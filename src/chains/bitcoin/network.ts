import { type Network, networks } from 'bitcoinjs-lib'

export type BitcoinNetworkName = 'mainnet' | 'testnet' | 'regtest'

interface NetworkFacts {
  /** Version bytes and HRP of the addresses. */
  forms: Network
  /** Hash of block 0 as explorers show it. Distinguishes testnet from regtest, which share their base58 forms. */
  genesisHash: string
}

export const bitcoinNetworks: Record<BitcoinNetworkName, NetworkFacts> = {
  mainnet: {
    forms: networks.bitcoin,
    genesisHash: '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f',
  },
  testnet: {
    forms: networks.testnet,
    genesisHash: '000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943',
  },
  regtest: {
    forms: networks.regtest,
    genesisHash: '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206',
  },
}

/** The public network that a CAIP-2 reference names (first 32 hex digits of its genesis hash), if it is one of ours. */
export const networkOfReference = (caip2Id: string): BitcoinNetworkName | undefined => {
  const reference = caip2Id.slice(caip2Id.indexOf(':') + 1)
  return (['mainnet', 'testnet'] as const).find((name) => bitcoinNetworks[name].genesisHash.startsWith(reference))
}
