import type { CallOptions } from '../../../upstream/types.ts'
import type { NodeCall } from './ask.ts'

/** Merges options for several calls. The deadline may still be extended, and a plain copy would keep the old one. */
export function withLateDeadline(call: CallOptions, more: NodeCall): NodeCall {
  const own = { ...call, ...more }
  if (call.deadline === undefined) return own
  return Object.defineProperty(own, 'deadline', { get: () => call.deadline, enumerable: true })
}
