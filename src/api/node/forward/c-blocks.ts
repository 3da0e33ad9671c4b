import type { ForwardCall } from './call.ts'
import { sourceOf } from './nodes/source-chains.ts'

/** The newest block of C that clients were told of, by whatever shows it: its EVM counts them. Heights of blocks. */
export interface CBlocks {
  newest(): bigint | undefined
  /**
   * Clients are shown this block next. Nodes may execute blocks some time behind accepting them (Helicon).
   * @param host node that has accepted it
   * @returns undefined = at once; a promise that never rejects = they are to be held until then
   */
  shown(height: bigint, host: string, signal: AbortSignal): Promise<void> | undefined
  /** Clients are shown this block by this server itself, which has what came of it. */
  own(height: bigint): void
  /**
   * Clients are shown what follows from the blocks that this node has. False = it does not say which it has. Never
   * rejects.
   */
  look(host: string): Promise<boolean>
  /** Waits until every healthy node has executed this block, for a short time. Never rejects. */
  settle(height: bigint, signal: AbortSignal): Promise<void> | undefined
  /**
   * True for a node that runs C and is not known to have the newest one. The call also triggers a look at the node.
   */
  lacks(host: string): boolean
}

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
