import type { ReadContext } from '../../capabilities.ts'

/** The context for a part of the work, which gets this share of the remaining time. */
export function earlier(context: ReadContext, share: number): ReadContext {
  const begun = Date.now()
  return {
    signal: context.signal,
    get deadline() {
      return begun + (context.deadline - begun) * share
    },
    ...(context.clients !== undefined && { clients: context.clients }),
  }
}
