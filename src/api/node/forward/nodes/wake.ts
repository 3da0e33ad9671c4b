import { HEIGHT_CALLS } from '../../../../facts/height-calls.ts'
import type { ChainLetter } from '../../../../facts/primary-network.ts'
import { steadyNow } from '../../../../lib/steady-clock.ts'
import type { NodeGroup } from './node-pools.ts'

/**
 * Makes sure that laggards are known before a group of nodes is asked about the tip: when the group was idle for a
 * while, returns a promise to wait for, which never rejects; undefined = ask right away.
 */
export type Wake = (group: NodeGroup, chain: ChainLetter) => Promise<void> | undefined

/** Shorter than the time without a call after which the pool's own watch sleeps (25 s), milliseconds. */
const IDLE_MS = 20_000
/** How long the first call waits for the heights of slow nodes, milliseconds. */
const WAIT_MS = 1_000

interface State {
  usedAt: number
  waking: Promise<void> | undefined
}

/** @param now milliseconds; for ages */
export function createWake(now: () => number = steadyNow): Wake {
  const states = new WeakMap<NodeGroup, State>()
  const askAll = async (group: NodeGroup, chain: ChainLetter, state: State): Promise<void> => {
    const { path, method, params } = HEIGHT_CALLS[chain]
    const ask = (pool: NodeGroup['pool']) =>
      pool.rpc(path, method, params, { batch: false, deadline: Date.now() + WAIT_MS }).catch(() => undefined)
    // The first call wakes the pool's own watch, which decides which node is asked first; it has nearly all answers by
    // the time that each node has answered here.
    await Promise.all([ask(group.pool), ...group.members().map((member) => ask(member.pool))])
    state.waking = undefined
  }
  return (group, chain) => {
    const time = now()
    let state = states.get(group)
    if (!state) {
      state = { usedAt: Number.NEGATIVE_INFINITY, waking: undefined }
      states.set(group, state)
    }
    const idle = time - state.usedAt > IDLE_MS
    state.usedAt = time
    if (idle && !state.waking && group.members().length > 1) state.waking = askAll(group, chain, state)
    return state.waking
  }
}
