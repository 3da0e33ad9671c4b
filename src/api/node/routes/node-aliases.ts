import { LRUCache } from 'lru-cache'
import { roomFor } from '../../../lib/room-for.ts'
import { steadyNow } from '../../../lib/steady-clock.ts'

/** Aliases of chains that only nodes know: from their alias files and from their own `admin.aliasChain`. */
export interface NodeAliases {
  /**
   * The blockchain id of an alias, undefined when no node knows it. Case-sensitive.
   * @throws the error of `ask` when no node could be asked and none knew it before
   */
  find(alias: string): Promise<string | undefined>
}

/** A restarted node may have another file. Milliseconds. */
const KEPT_MS = 60_000
/** Callers ask for names that do not exist; nodes list an alias as soon as they have it. */
const MISSED_MS = 5_000
const REMEMBERED = 1_000

interface Kept {
  id: string | undefined
  at: number
}

/**
 * @param ask resolves to the id that a node has for an alias, undefined when it says that there is none; throws when no
 * node could be asked: an id told earlier is then used, while an alias that nobody had may have been given since
 */
export function createNodeAliases(ask: (alias: string) => Promise<string | undefined>): NodeAliases {
  const kept = new LRUCache<string, Kept>(roomFor(REMEMBERED))
  const running = new Map<string, Promise<string | undefined>>()

  const look = async (alias: string): Promise<string | undefined> => {
    try {
      const id = await ask(alias)
      kept.set(alias, { id, at: steadyNow() })
      return id
    } catch (error) {
      const before = kept.get(alias)?.id
      if (before !== undefined) return before
      throw error
    } finally {
      running.delete(alias)
    }
  }
  return {
    find: async (alias) => {
      const known = kept.get(alias)
      if (known && steadyNow() - known.at < (known.id === undefined ? MISSED_MS : KEPT_MS)) return known.id
      const open = running.get(alias) ?? look(alias)
      running.set(alias, open)
      return open
    },
  }
}
