import { BadAnswerError, CancelledError, JsonRpcError } from '../../errors.ts'
import { steadyNow } from '../../lib/steady-clock.ts'
import { mapBounded } from '../../lib/waiting/map-bounded.ts'
import { speaksOfMissingBlock, speaksOfMissingState } from '../../upstream/json-rpc/error-texts.ts'
import { lacksMethod } from '../../upstream/json-rpc/lacking-method.ts'
import type { BlockTracer } from './block-tracer.ts'
import type { RpcBlock, RpcReceipt } from './rpc-block.ts'

/**
 * `required`: no block is indexed without its trace. `auto`: blocks that no node traces are indexed without. `off`: no
 * traces are requested.
 */
export type TracePolicy = 'auto' | 'required' | 'off'

/** A block with its receipts. */
export interface Executed {
  block: RpcBlock
  receipts: readonly RpcReceipt[]
}

export interface Tracing {
  /**
   * For each block of a page: accounts that sent or received native value inside its transactions; hex without 0x.
   * Undefined if no node traced it.
   */
  parties(page: readonly Executed[], signal: AbortSignal): Promise<(string[] | undefined)[]>
  /** Nodes have traced a block for another caller: ends the pause. */
  resume(): void
  /** For status and health: whether there are blocks that no node traces. */
  notes(): string[]
}

/** Blocks that nodes run again at once. */
const AT_ONCE = 4
/** Pause before nodes without the method are asked again, doubled each time; milliseconds. */
const PAUSE_MS = 600_000
const MAX_PAUSE_MS = 6 * 3_600_000
/**
 * Shorter pause for nodes that cannot trace a block, mostly because its state is gone: they may trace newer blocks, and
 * catching up takes a thousand blocks a second.
 */
const STATE_PAUSE_MS = 10_000
/** Consecutive failures of a page in which only the trace calls failed. */
const PATIENCE = 8
/** The same before any node has returned a trace: they may never do so, each with its own error. */
const FIRST_PATIENCE = 2

const NOT_NOW = 'what contracts send is not indexed: no node traces it'

export function createTracing(tracer: BlockTracer, policy: TracePolicy, now = steadyNow): Tracing {
  let pausedUntil = 0
  let pauseMs = PAUSE_MS
  let failures = 0
  /** A node has returned a trace since the last long pause. */
  let known = false

  const leaveAlone = (ms: number): void => {
    pausedUntil = Math.max(pausedUntil, now() + ms)
  }
  const leaveForLong = (): void => {
    const ms = pauseMs
    pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)
    failures = 0
    known = false
    leaveAlone(ms)
  }
  const resume = (): void => {
    known = true
    pauseMs = PAUSE_MS
    pausedUntil = 0
  }
  const untold = ({ block, receipts }: Executed): string[] | undefined =>
    tracer.concerns(block, receipts) ? undefined : []

  const partiesOf = async (one: Executed, signal: AbortSignal): Promise<string[] | undefined> => {
    if (policy === 'off' || now() < pausedUntil) return untold(one)
    try {
      const parties = await tracer.trace(one.block, one.receipts, signal)
      if (parties === undefined) return []
      resume()
      return parties
    } catch (error) {
      if (policy === 'required')
        throw lacksMethod(error) ? new BadAnswerError('no node traces blocks, as index.traces demands', error) : error
      if (!(error instanceof JsonRpcError)) throw error
      if (error.retryable && !speaksOfMissingState(error.message)) throw error
      if (!lacksMethod(error)) leaveAlone(STATE_PAUSE_MS)
      // Other blocks of the page may have found the same.
      else if (now() >= pausedUntil) leaveForLong()
      return undefined
    }
  }

  return {
    async parties(page, signal) {
      try {
        const first: (string[] | undefined)[] = []
        for (const one of page) {
          if (known || policy === 'off') break
          // A single block finds out whether nodes trace at all.
          first.push(await partiesOf(one, signal))
        }
        const rest = page.slice(first.length)
        const found = await mapBounded(rest, AT_ONCE, (one) => partiesOf(one, signal), signal)
        failures = 0
        return [...first, ...found]
      } catch (error) {
        if (policy === 'required' || signal.aborted || error instanceof CancelledError) throw error
        failures += 1
        // A lagging node traces the block as soon as it has it.
        const isBehind = error instanceof JsonRpcError && speaksOfMissingBlock(error.message)
        if (failures < (known || isBehind ? PATIENCE : FIRST_PATIENCE)) throw error
        if (isBehind) leaveAlone(STATE_PAUSE_MS)
        else leaveForLong()
        return page.map(untold)
      }
    },
    resume,
    notes: () => [
      ...(now() < pausedUntil ? [NOT_NOW] : []),
      ...(tracer.leftOut > 0 ? [`${tracer.leftOut} transactions that nodes cannot trace`] : []),
    ],
  }
}
