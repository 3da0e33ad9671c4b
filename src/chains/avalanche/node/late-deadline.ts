import type { CallOptions } from '../../../upstream/types.ts'

/** Merges options for several calls. The deadline may still be extended, and a plain copy would keep the old one. */
export function withLateDeadline(call: CallOptions, more: CallOptions): CallOptions {
  const own = { ...call, ...more }
  if (call.deadline === undefined) return own
  return Object.defineProperty(own, 'deadline', { get: () => call.deadline, enumerable: true })
}
