import { JsonRpcError } from '../../../errors.ts'
import type { CallOptions, UpstreamPool } from '../../../upstream/types.ts'

/** Time for a call that only one node may answer, milliseconds: a node that hangs must leave time to begin anew. */
const ONE_NODE_MS = 2_500

/** Where nobody waits for the whole, or there is no other node, a slow one has the time that it needs. */
const bounded = (pool: UpstreamPool, call: CallOptions): CallOptions => {
  const isBound = call.sameServer !== undefined && call.deadline !== undefined && pool.status().length > 1
  return isBound ? { ...call, deadline: Math.min(call.deadline ?? 0, Date.now() + ONE_NODE_MS) } : call
}

/** One question to a node's own APIs, which know no batches (only its EVM endpoints do). */
export function ask(
  pool: UpstreamPool,
  path: string,
  method: string,
  params: unknown,
  call: CallOptions,
): Promise<unknown> {
  return pool.rpc(path, method, params, { ...bounded(pool, call), batch: false })
}

/**
 * The same, with the answer read: one that cannot be read is the trouble of its node, and the next one is asked. So it
 * is after a refusal, which is believed when all refuse: gateways let some methods through, and nodes lag.
 * @param read throws for an answer that is none.
 */
export async function askFor<T>(
  pool: UpstreamPool,
  path: string,
  method: string,
  params: unknown,
  call: CallOptions,
  read: (answer: unknown) => T,
): Promise<T> {
  let last: { answer: unknown; value: T } | undefined
  const check = (answer: unknown): void => {
    last = { answer, value: read(answer) }
  }
  const answer = await ask(pool, path, method, params, { ...call, check, doubts: isRefusal })
  // An answer that somebody else waited for already was checked by him.
  return last !== undefined && last.answer === answer ? last.value : read(answer)
}

const isRefusal = (said: unknown): boolean => said instanceof JsonRpcError
