import { LRUCache } from 'lru-cache'
import { type AtomicOrigin, type AvalancheNetwork, readAtomicOrigin } from '../../chains/avalanche/index.ts'
import { idToCb58 } from '../../lib/bytes/ids.ts'
import { roomFor } from '../../lib/room-for.ts'
import { mapBounded } from '../../lib/waiting/map-bounded.ts'

/** Transactions whose blocks are cached; they are final, and an entry is some 200 bytes. */
const KEPT = 20_000
/** Concurrent calls of one answer. */
const ABREAST = 8

/** The blocks in which C accepted transactions, as nodes report it. */
export interface COrigins {
  /**
   * @param txIds hex
   * @param deadline milliseconds of `Date.now()`
   * @throws FirnError when one of them is not reported
   */
  of(network: AvalancheNetwork, txIds: readonly string[], deadline: number): Promise<ReadonlyMap<string, AtomicOrigin>>
}

export function createCOrigins(): COrigins {
  const kept = new LRUCache<string, AtomicOrigin>(roomFor(KEPT))
  return {
    async of(network, txIds, deadline) {
      const found = new Map<string, AtomicOrigin>()
      await mapBounded([...new Set(txIds)], ABREAST, async (txId) => {
        const origin = kept.get(txId) ?? (await readAtomicOrigin(network.pool, idToCb58(txId), { deadline }))
        kept.set(txId, origin)
        found.set(txId, origin)
      })
      return found
    },
  }
}
