import { LRUCache } from 'lru-cache'
import { roomFor } from '../../../../lib/room-for.ts'
import { steadyNow } from '../../../../lib/steady-clock.ts'

/** Prefers nodes that report by which block they have what their answers show. */
export interface Surest {
  /**
   * The nodes to ask last: those that lack something that clients were shown, or lately did not report their block. If these
   * are all nodes, only those that lack something: clients must not miss what they were shown.
   * @param about what is shown; undefined = there is nothing to report
   * @param hosts of the nodes that answer
   */
  avoided(
    about: string | undefined,
    hosts: Iterable<string>,
    lacks: (host: string) => boolean,
  ): (host: string) => boolean
  /**
   * The answer of a node that reports its block; if none that answers does, the answer of one that does not.
   * @param ask asks the nodes, last those that are avoided; `again`: there is an answer already
   * @param isSure false = the node did not report it, for example because it is gone
   * @throws what the first `ask` throws
   */
  pick<A extends { host: string }>(
    about: string | undefined,
    ask: (again: boolean) => Promise<A>,
    isSure: (answer: A) => Promise<boolean>,
  ): Promise<A>
}

/** For how long a node that did not report its block is asked last: a gateway may never allow the call. Milliseconds. */
const SILENT_MS = 60_000
/** Nodes times chains; callers may name any chain. */
const KEPT = 1_000

const keyOf = (about: string | undefined, host: string): string => `${host}\n${about}`

export function createSurest(): Surest {
  /** By node and chain: how many entries had been made with it. */
  const silent = new LRUCache<string, number>({ ...roomFor(KEPT), ttl: SILENT_MS, perf: { now: steadyNow } })
  let noted = 0
  return {
    avoided(about, hosts, lacks) {
      if (about === undefined) return lacks
      const isLast = (host: string): boolean => silent.has(keyOf(about, host)) || lacks(host)
      return [...hosts].every(isLast) ? lacks : isLast
    },
    async pick(about, ask, isSure) {
      let begun = noted
      let answer = await ask(false)
      while (!(await isSure(answer))) {
        const key = keyOf(about, answer.host)
        const known = silent.get(key)
        // It was asked last. If another call made the entry meanwhile, this one has not asked the other nodes yet.
        if (known !== undefined && known <= begun) return answer
        if (known === undefined) silent.set(key, ++noted)
        begun = noted
        answer = await ask(true).catch(() => answer)
      }
      return answer
    },
  }
}
