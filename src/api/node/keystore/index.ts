/**
 * What a node with a keystore answers in addition to its other methods: `/ext/keystore`, and the key methods of P, X
 * and C. Methods that carry a user's password are never forwarded; methods that would send money do not exist.
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
  /** Serve /ext/keystore. Without it, key methods still work for existing users, as on a node. */
  enabled: boolean
  /** Asked while it is off: false = there are no users, and none have to be looked for. Default: there may be some. */
  mayHaveUsers?: () => boolean
  /** No users or keys for the public. */
  publicDeployment: boolean
  /**
   * Also platform.createAddress and platform.importKey, which nodes dropped in v1.11.2; without it they do not exist,
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
  const { keystore, network, enabled, publicDeployment, mayHaveUsers = () => true } = options
  // Strangers call these methods, too: an embedded database is not made for the sake of finding nobody in it.
  const used = enabled ? async () => true : rememberTrue(async () => mayHaveUsers() && keystore.users.any())
  /** A disabled keystore without users does not exist: chains answer as the newest nodes do. */
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

/** Users can only be removed through the keystore, which is off: once there is one, the answer stays true. */
function rememberTrue(ask: () => Promise<boolean>): () => Promise<boolean> {
  let known = false
  return async () => {
    known ||= await ask()
    return known
  }
}
