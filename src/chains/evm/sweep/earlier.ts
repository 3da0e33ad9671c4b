import type { ReadContext } from '../../capabilities.ts'

/** The same context for a part of the work, which has that share of the time that is left. */
export function earlier(context: ReadContext, share: number): ReadContext {
  const begun = Date.now()
  return {
    signal: context.signal,
    get deadline() {
      return begun + (context.deadline - begun) * share
    },
    ...(context.traceparent !== undefined && { traceparent: context.traceparent }),
  }
}
