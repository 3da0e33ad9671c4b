import type { EverUsed } from '../../chains/avalanche/index.ts'
import { KEY_CHAINS } from '../../chains/avalanche/keys/key-scan.ts'
import type { Caller, IndexReader } from '../../store/index.ts'

/** Whether addresses of a network were ever used: wallets use the same address on both chains. */
export function createIndexedUse({ activity }: Pick<IndexReader, 'activity'>) {
  return (network: string, caller?: Caller): EverUsed =>
    async (addresses) => {
      for (const letter of KEY_CHAINS) if (await activity.last({ network, letter }, addresses, caller)) return true
      return false
    }
}
