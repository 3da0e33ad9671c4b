import type { LocalService } from '../api/node/index.ts'
import { createKeystoreServices, type KeyNetwork } from '../api/node/keystore/index.ts'
import type { AvalancheNetwork } from '../chains/avalanche/index.ts'
import type { Config } from '../config/index.ts'
import { createKeystore } from '../services/keystore/index.ts'
import type { KeystoreRecords } from '../store/index.ts'

export interface KeystoreWiring {
  /** Opened by the first call that needs it. */
  records: KeystoreRecords
  /** The network that is served under /ext. */
  network: Pick<AvalancheNetwork, 'facts'>
  /** Aliases of its chains, those of admin.aliasChain included. */
  chains: Pick<KeyNetwork, 'lookup'>
}

/** The keystore API as configured, and the key methods of the chains, which a node has in any case. */
export function wireKeystore(config: Config, { records, network, chains }: KeystoreWiring): LocalService[] {
  return createKeystoreServices({
    keystore: createKeystore({ records }),
    network: { facts: (signal) => network.facts({ signal }), lookup: (alias) => chains.lookup(alias) },
    enabled: config.node.api.keystore.enabled,
    publicDeployment: config.node.publicDeployment,
  })
}
