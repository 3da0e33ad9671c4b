import type { NamedLoggers } from '../../lib/logging/named-loggers.ts'
import type { WaitRecorder } from '../../lib/waiting/wait-recorder.ts'
import type { ObserveUpstream, UpstreamPoolDeps } from '../../upstream/index.ts'

type PoolLogger = NonNullable<UpstreamPoolDeps['logger']>

/** `node C/rpc` and `node C/rpc at host` belong to C, `eip155:1` to itself; pools of no chain use `main`. */
function loggerOfPool(pool: string): string {
  const name = pool.replace(/^node /, '')
  const primary = /^[PXC](?=\/|$| )/.exec(name)?.[0]
  return primary ?? /^(eip155|bip122|solana):[^ ]+/.exec(name)?.[0] ?? 'main'
}

/** Passes messages of upstream pools to the logger of their chain. */
export function createPoolLogger(loggers: NamedLoggers): PoolLogger {
  return {
    debug: (fields, message) => {
      const { pool } = fields as { pool?: unknown }
      loggers.get(typeof pool === 'string' ? loggerOfPool(pool) : 'main').debug(fields, message)
    },
    isLevelEnabled: () => loggers.anyDebugs(),
  }
}

/**
 * Metrics take every event, the recorder of waits those about queues and limits, traces those about attempts. Without
 * any of them there is no observer.
 */
export function observeAll(
  metrics: ObserveUpstream | undefined,
  waits: WaitRecorder | undefined,
  traces?: ObserveUpstream,
): { observe?: ObserveUpstream } {
  const single = [metrics, traces].filter((one) => one !== undefined)
  if (!waits && single.length < 2) return single[0] ? { observe: single[0] } : {}
  const observe: ObserveUpstream = (event, from) => {
    if (event.kind === 'waited') waits?.record(['upstream', event.pool, event.host], event.ms)
    else if (event.kind === 'paused') waits?.record(['rate limit', event.pool, event.host], event.ms)
    metrics?.(event, from)
    traces?.(event, from)
  }
  return { observe }
}
