import type { CallOptions } from '../../../upstream/types.ts'

/**
 * The options with more, for several calls: the deadline may still come to lie later, and a plain copy would keep it where
 * it lay.
 */
export function withLateDeadline(call: CallOptions, more: CallOptions): CallOptions {
  const own = { ...call, ...more }
  if (call.deadline === undefined) return own
  return Object.defineProperty(own, 'deadline', { get: () => call.deadline, enumerable: true })
}
