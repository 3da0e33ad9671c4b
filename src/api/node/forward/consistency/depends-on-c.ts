import type { ForwardCall } from '../call.ts'
import { sourceOf } from '../nodes/source-chains.ts'

/** Whether an answer depends on blocks of C: at its own endpoints, of what it exported, and whether that can be spent. */
export function dependsOnC(call: ForwardCall): boolean {
  const { endpoint, rule } = call
  if (endpoint.source === 'C') return true
  if (endpoint.source !== 'P' && endpoint.source !== 'X') return false
  if (rule.target === 'write') return true
  // Callers may name it by its blockchain ID.
  const source = sourceOf(call)
  return source !== undefined && source !== 'P' && source !== 'X'
}
