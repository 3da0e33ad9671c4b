import { BadAnswerError } from '../errors.ts'
import type { UpstreamPool } from '../upstream/types.ts'

/** EVM chain id of the chain behind a JSON-RPC endpoint. @throws BadAnswerError when the answer is not a chain id */
export async function readEvmChainId(pool: UpstreamPool, path: string, signal: AbortSignal): Promise<bigint> {
  const answer = await pool.rpc<unknown>(path, 'eth_chainId', [], { signal })
  if (typeof answer !== 'string' || !/^0x[0-9a-f]{1,16}$/i.test(answer))
    throw new BadAnswerError('eth_chainId: no chain id')
  return BigInt(answer)
}
