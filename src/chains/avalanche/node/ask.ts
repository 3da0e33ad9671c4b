import { JsonRpcError } from '../../../errors.ts'
import type { CallOptions, UpstreamPool } from '../../../upstream/types.ts'

/** A call to one of a node's own APIs. */
export interface NodeCall extends CallOptions {
  /** How long the same has just taken, milliseconds: if only one node may answer, it gets twice that. */
  tookMs?: number | undefined
}

/** Time for a call that only one node may answer, milliseconds: a hanging node must leave time for another attempt. */
const ONE_NODE_MS = 2_500

/** A slow node gets the time that it needs if the caller has no deadline, or if there is no other node. */
const bounded = (pool: UpstreamPool, { tookMs = 0, ...call }: NodeCall): CallOptions => {
  if (call.sameServer === undefined || call.deadline === undefined || pool.status().length < 2) return call
  return { ...call, deadline: Math.min(call.deadline, Date.now() + Math.max(ONE_NODE_MS, 2 * tookMs)) }
}

/** One call to a node's own APIs, which do not support batches (only its EVM endpoints do). */
export function ask(
  pool: UpstreamPool,
  path: string,
  method: string,
  params: unknown,
  call: NodeCall,
): Promise<unknown> {
  return pool.rpc(path, method, params, { ...bounded(pool, call), batch: false })
}

/**
 * The same, with the answer parsed: an answer that cannot be parsed counts as the node's trouble, and the next one is
 * asked. The same goes for a refusal, which is believed only when all refuse: gateways allow some methods only, and
 * nodes lag.
 * @param read throws for a value that is not an answer.
 */
export async function askFor<T>(
  pool: UpstreamPool,
  path: string,
  method: string,
  params: unknown,
  call: NodeCall,
  read: (answer: unknown) => T,
): Promise<T> {
  const { check, parsed } = parsedOnce(read)
  return parsed(await ask(pool, path, method, params, { ...call, check, doubts: isRefusal }))
}

/**
 * Parses answers as they come, and each of them once. `check` is for the options of the call: where it throws, the next
 * server is asked. `parsed` is what became of the answer that the call gave.
 * @param read throws for a value that is not an answer.
 */
export function parsedOnce<T>(read: (answer: unknown) => T) {
  let last: { answer: unknown; value: T } | undefined
  return {
    check(answer: unknown): void {
      last = { answer, value: read(answer) }
    },
    // An answer shared with an earlier caller was checked by that caller.
    parsed: (answer: unknown): T => (last !== undefined && last.answer === answer ? last.value : read(answer)),
  }
}

const isRefusal = (said: unknown): boolean => said instanceof JsonRpcError
