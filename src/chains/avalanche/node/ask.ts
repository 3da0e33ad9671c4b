import type { CallOptions, UpstreamPool } from '../../../upstream/types.ts'

/** One question to a node's own APIs, which know no batches (only its EVM endpoints do). */
export function ask(
  pool: UpstreamPool,
  path: string,
  method: string,
  params: unknown,
  call: CallOptions,
): Promise<unknown> {
  return pool.rpc(path, method, params, { ...call, batch: false })
}
