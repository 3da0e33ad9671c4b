import { LRUCache } from 'lru-cache'
import { isRecord } from '../../../../lib/json/json-record.ts'
import { roomFor } from '../../../../lib/room-for.ts'
import { steadyNow } from '../../../../lib/steady-clock.ts'
import type { ForwardCall } from '../call.ts'
import type { Judge } from '../judge.ts'
import { textIn } from '../text-in.ts'
import type { Member, NodeGroup } from './node-pools.ts'

/** Knows which nodes run P only: they answer, without an error, that X and C exported nothing to it. */
export interface SourceChains {
  /**
   * A judge that rejects answers of such nodes; they count where no node is known to run the chain, or may. Undefined =
   * nothing to find out.
   */
  judgeOf(call: ForwardCall, group: NodeGroup, judge: Judge): Promise<Judge> | undefined
}

/** A node that runs a chain does so until it is restarted; a node that does not may start at any time. Milliseconds. */
const LONG_MS = 600_000
const SHORT_MS = 5_000
/** How long a call waits for nodes that do not answer, milliseconds. */
const WAIT_MS = 1_000
/** Nodes times chains; callers may name any chain. */
const KEPT = 1_000

/** A chain by its alias or id. */
const CHAIN_NAME = /^\w{1,60}$/

/** The chain whose exports are asked for, as the caller names it. */
export function sourceOf({ rule, params }: Pick<ForwardCall, 'rule' | 'params'>): string | undefined {
  const name = rule.pages ? textIn(params, 'sourceChain') : undefined
  return name !== undefined && CHAIN_NAME.test(name) ? name : undefined
}

export function createSourceChains(): SourceChains {
  const kept = new LRUCache<string, { runs: boolean }>({
    ...roomFor(KEPT),
    noDeleteOnStaleGet: true,
    perf: { now: steadyNow },
  })

  /** A node that cannot tell, or has that API closed to us, is trusted, unless it said before that it does not. */
  const runs = async ({ host, pool }: Member, chain: string): Promise<boolean> => {
    const key = `${host}\n${chain}`
    const known = kept.get(key)
    if (known) return known.runs
    const said = await pool
      .rpc<unknown>('/ext/info', 'info.isBootstrapped', { chain }, { batch: false, deadline: Date.now() + WAIT_MS })
      .catch(() => undefined)
    const before = said === undefined ? kept.peek(key, { allowStale: true }) : undefined
    const answer = before ?? { runs: !(isRecord(said) && said['isBootstrapped'] === false) }
    kept.set(key, answer, { ttl: answer.runs && said !== undefined ? LONG_MS : SHORT_MS })
    return answer.runs
  }
  const lackingOf = async (members: readonly Member[], chain: string): Promise<Set<string>> => {
    const lacking = await Promise.all(members.map(async (one) => ((await runs(one, chain)) ? [] : [one.host])))
    return new Set(lacking.flat())
  }
  return {
    judgeOf: (call, group, judge) => {
      // Only nodes of the whole network run other chains.
      const chain = call.endpoint.source === 'P' ? sourceOf(call) : undefined
      const members = group.members()
      if (chain === undefined || members.length < 2) return undefined
      return lackingOf(members, chain).then((lacking) => (response) => {
        const verdict = judge(response)
        if (verdict.kind !== 'answer' || !lacking.has(response.host)) return verdict
        // While the one that runs it is away, nobody knows what it exported.
        const withhold = lacking.size < members.length
        return { kind: 'retry', behind: true, withhold, reason: `does not run ${chain}` }
      })
    },
  }
}
