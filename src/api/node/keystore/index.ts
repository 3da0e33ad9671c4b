/**
 * What a node with a keystore answers besides its chains' other methods: `/ext/keystore`, and the key methods of P, X and
 * C. Methods that carry a user's password are never forwarded; those that would send money are not there.
 */
import type { Keystore } from '../../../services/keystore/index.ts'
import type { LocalMethod, LocalService } from '../gorilla/local-service.ts'
import { createAtomicKeyMethods } from './atomic-key-methods.ts'
import type { KeyNetwork } from './key-network.ts'
import { createKeystoreService } from './keystore-methods.ts'
import { createPlatformKeyMethods } from './platform-key-methods.ts'
import { WITHHELD } from './withheld.ts'

export type { KeyNetwork } from './key-network.ts'

export interface KeystoreServicesOptions {
  keystore: Keystore
  network: KeyNetwork
  /** Serve /ext/keystore. Without it key methods still work on users that exist, as on a node. */
  enabled: boolean
  /** Neither users nor keys for the public. */
  publicDeployment: boolean
  /**
   * Also platform.createAddress and platform.importKey, which nodes dropped in v1.11.2; without it they are not there,
   * as on the last nodes with a keystore.
   */
  platformImport?: boolean
}

const missing: LocalMethod = Object.assign(
  () => {
    throw new Error('a method that is not there was called')
  },
  { isThere: () => false },
)

export function createKeystoreServices(options: KeystoreServicesOptions): LocalService[] {
  const { keystore, network, enabled, publicDeployment } = options
  const used = enabled ? async () => true : rememberTrue(() => keystore.users.any())
  /** A keystore that is off and holds nobody is not there: chains answer as newest nodes do. */
  const ifUsed = (method: LocalMethod): LocalMethod =>
    Object.assign((...args: Parameters<LocalMethod>) => method(...args), {
      isThere: async () => !publicDeployment && (await used()),
    })
  const service = (name: string, endpoint: string, own: Readonly<Record<string, LocalMethod>>): LocalService => ({
    endpoints: [endpoint],
    service: name,
    methods: {
      ...Object.fromEntries((WITHHELD[name] ?? []).map((method) => [method, missing])),
      ...Object.fromEntries(Object.entries(own).map(([method, run]) => [method, ifUsed(run)])),
    },
  })
  const deps = { keys: keystore.keys, network }
  const { exportKey, listAddresses, ...imports } = createPlatformKeyMethods('P', deps)
  return [
    ...(enabled && !publicDeployment ? [createKeystoreService(keystore.users)] : []),
    service('platform', 'P', { exportKey, listAddresses, ...(options.platformImport ? imports : {}) }),
    service('avm', 'X', createPlatformKeyMethods('X', deps)),
    service('wallet', 'X/wallet', {}),
    service('avax', 'C/avax', createAtomicKeyMethods(deps)),
  ]
}

/** Users that exist may go, but only through the keystore, which is off: asked until somebody is there. */
function rememberTrue(ask: () => Promise<boolean>): () => Promise<boolean> {
  let known = false
  return async () => {
    known ||= await ask()
    return known
  }
}
