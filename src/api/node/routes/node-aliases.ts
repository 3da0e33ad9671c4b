import { LRUCache } from 'lru-cache'
import { roomFor } from '../../../lib/room-for.ts'
import { steadyNow } from '../../../lib/steady-clock.ts'

/** Aliases of chains that only nodes know: of their files of aliases, and of their own `admin.aliasChain`. */
export interface NodeAliases {
  /**
   * The blockchain id behind one, undefined where no node has it. Case-sensitive.
   * @throws what `ask` threw, where nobody could be asked and nobody has told before
   */
  find(alias: string): Promise<string | undefined>
}

/** A node that was started anew may have another file. Milliseconds. */
const KEPT_MS = 60_000
/** Strangers ask for names that do not exist; nodes list an alias as soon as they have it. */
const MISSED_MS = 5_000
const REMEMBERED = 1_000

interface Told {
  id: string | undefined
  at: number
}

/**
 * @param ask the id that a node has for an alias, undefined where it says that there is none; throws where no node could be
 * asked: what one said before stands then
 */
export function createNodeAliases(ask: (alias: string) => Promise<string | undefined>): NodeAliases {
  const told = new LRUCache<string, Told>(roomFor(REMEMBERED))
  const running = new Map<string, Promise<string | undefined>>()

  const look = async (alias: string): Promise<string | undefined> => {
    try {
      const id = await ask(alias)
      told.set(alias, { id, at: steadyNow() })
      return id
    } catch (error) {
      const before = told.get(alias)
      if (before) return before.id
      throw error
    } finally {
      running.delete(alias)
    }
  }
  return {
    find: async (alias) => {
      const known = told.get(alias)
      if (known && steadyNow() - known.at < (known.id === undefined ? MISSED_MS : KEPT_MS)) return known.id
      const open = running.get(alias) ?? look(alias)
      running.set(alias, open)
      return open
    },
  }
}
