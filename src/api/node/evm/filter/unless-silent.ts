import { setTimeout as pause } from 'node:timers/promises'
import { UpstreamUnavailableError } from '../../../../errors.ts'
import type { Member, NodePools } from '../../forward/nodes/node-pools.ts'
import type { EvmCall } from '../call.ts'
import type { ChainTip } from '../read/chain-tip.ts'

export interface UnlessSilentDeps {
  pools: Pick<NodePools, 'group'>
  tipOf(endpoint: EvmCall['endpoint']): Pick<ChainTip, 'look'>
}

/** A node that leaves a call open for so long is asked whether it is there, and again each time. Milliseconds. */
const LOOK_MS = 2_000

/**
 * Asks one node, for no longer than it is there: one whose process stands still keeps its connections, and no other is
 * asked beside it.
 * @throws UpstreamUnavailableError when it does not even tell its height, and another node does; as `ask` does.
 */
export const createUnlessSilent =
  ({ pools, tipOf }: UnlessSilentDeps) =>
  async <T>(member: Member, call: EvmCall, ask: (call: EvmCall) => Promise<T>): Promise<T> => {
    const { endpoint, signal } = call
    const [asking, looking] = [new AbortController(), new AbortController()]
    // Many calls may wait for one slow node: they share a question under way.
    const isThere = (one: Member): Promise<boolean> => tipOf(endpoint).look(one, endpoint, false)
    const isSilent = async (): Promise<boolean> => {
      // Its own limit keeps the call from it.
      if (member.pausedUntil() > Date.now() || (await isThere(member))) return false
      const others = pools
        .group(endpoint.source)
        .members()
        .filter(({ host }) => host !== member.host)
      return (await Promise.all(others.map(isThere))).includes(true)
    }
    const silence = async (): Promise<never> => {
      do await pause(LOOK_MS, undefined, { signal: looking.signal, ref: false })
      while (!(await isSilent()))
      throw new UpstreamUnavailableError(`${member.host}: ${call.message.method} was not answered`)
    }
    try {
      return await Promise.race([ask({ ...call, signal: AbortSignal.any([signal, asking.signal]) }), silence()])
    } finally {
      looking.abort()
      asking.abort()
    }
  }
