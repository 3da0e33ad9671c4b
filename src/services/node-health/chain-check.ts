import { messageOf } from '../../errors.ts'
import { formatGoDuration } from '../../lib/json/go-time.ts'
import { type HealthCheck, type HealthMessage, UnhealthyError } from './health-check.ts'
import { type PoolView, troublesOf, upstreamMessage } from './upstream-view.ts'

export interface ChainCheckDeps {
  /** Key in the report: `P`, `X`, `C`, the blockchain ID of an L1, or another chain's identifier. */
  name: string
  /** Subnet IDs; empty while unknown and for chains that belong to none. */
  tags(): readonly string[]
  /** Called for each check. */
  pools(): readonly PoolView[]
  /**
   * Height of the last accepted block, from an upstream. Left out: a call would not be cheap, so the check uses what
   * the pools have seen.
   */
  height?: (signal: AbortSignal) => Promise<bigint>
  /** True = asked only when no upstream looks healthy. For chains of public servers, to spare them our traffic. */
  onlyInDoubt?: boolean
  /** The chain could be read. */
  onReached?: () => void
}

interface Tip {
  height: bigint
  /** Nanoseconds of a monotonic clock. */
  since: bigint
}

const NANOSECONDS_PER_MS = 1_000_000n

/**
 * Whether a chain can be served: an upstream answers for it, and one is healthy. How long the tip has not moved is
 * reported, not judged: a quiet chain makes no blocks.
 */
export function createChainCheck(deps: ChainCheckDeps): HealthCheck {
  const { name, pools, height, onlyInDoubt = false, onReached } = deps
  let tip: Tip | undefined
  const upstreams = () => pools().flatMap((pool) => [...pool.status()])

  const message = (): HealthMessage => {
    const all = upstreams()
    const share = all.length === 0 ? 0 : all.filter(({ healthy }) => healthy).length / all.length
    const consensus = tip && {
      lastAcceptedHeight: Number(tip.height),
      timeSinceLastAccepted: formatGoDuration(
        ((process.hrtime.bigint() - tip.since) / NANOSECONDS_PER_MS) * NANOSECONDS_PER_MS,
      ),
    }
    return {
      engine: { consensus: consensus ?? {}, vm: null },
      networking: { percentConnected: share, upstreams: all.map(upstreamMessage) },
    }
  }
  const ask = async (signal: AbortSignal): Promise<void> => {
    if (height === undefined) return
    const seen = await height(signal).catch((error: unknown) => {
      throw new UnhealthyError(`engine: ${messageOf(error)}`, message(), error)
    })
    // Another upstream may lag a block behind the one asked before; if all are below it, the chain was reset.
    const top = tip?.height ?? -1n
    const wasReset = seen < top && upstreams().every(({ height = top }) => height < top)
    if (seen > top || wasReset) tip = { height: seen, since: process.hrtime.bigint() }
  }
  return {
    name,
    tags: deps.tags,
    run: async (signal) => {
      const inDoubt = !upstreams().some(({ healthy }) => healthy)
      if (!onlyInDoubt || inDoubt) await ask(signal)
      const all = upstreams()
      if (all.length > 0 && !all.some(({ healthy }) => healthy))
        throw new UnhealthyError(`networking: no healthy upstream: ${troublesOf(all)}`, message())
      onReached?.()
      return message()
    },
  }
}
