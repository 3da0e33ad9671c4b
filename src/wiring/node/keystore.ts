import type { LocalService } from '../../api/node/index.ts'
import { createKeystoreServices, type KeyNetwork } from '../../api/node/keystore/index.ts'
import type { AvalancheNetwork } from '../../chains/avalanche/index.ts'
import type { Config } from '../../config/index.ts'
import { UpstreamUnavailableError } from '../../errors.ts'
import { createKeystore } from '../../services/keystore/index.ts'
import type { KeystoreRecords } from '../../store/index.ts'
import { mayHaveData } from '../store.ts'

export interface KeystoreWiring {
  /** Opened by the first call that needs it. */
  records: KeystoreRecords
  /** The network under /ext, evaluated at each call because it changes with the configuration; undefined if none. */
  network: () => Pick<AvalancheNetwork, 'facts'> | undefined
  /** Blockchain id of an alias, including those of admin.aliasChain. Not used before the first call. */
  lookup: KeyNetwork['lookup']
}

/** The keystore API as configured, and the key methods of the chains, which a node has in any case. */
export function wireKeystore(config: Config, { records, network, lookup }: KeystoreWiring): LocalService[] {
  return createKeystoreServices({
    keystore: createKeystore({ records }),
    network: {
      facts: (signal) =>
        network()?.facts({ signal }) ?? Promise.reject(new UpstreamUnavailableError('no Avalanche network is served')),
      lookup,
    },
    enabled: config.node.api.keystore.enabled,
    mayHaveUsers: () => mayHaveData(config),
    publicDeployment: config.node.publicDeployment,
    platformImport: config.node.api.keystore.platformImport,
  })
}
