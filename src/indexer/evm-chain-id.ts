import { BadAnswerError, JsonRpcError } from '../errors.ts'
import type { UpstreamPool } from '../upstream/types.ts'

function expectId(answer: unknown): void {
  if (typeof answer !== 'string' || !/^0x[0-9a-f]{1,16}$/i.test(answer))
    throw new BadAnswerError('eth_chainId: no chain id')
}

/** A server that refuses the method, or is still being synchronised, says nothing about the chain. */
const isRefusal = (said: unknown): boolean => said instanceof JsonRpcError

/** EVM chain id of the chain behind a JSON-RPC endpoint. @throws FirnError when no server tells one */
export async function readEvmChainId(pool: UpstreamPool, path: string, signal: AbortSignal): Promise<bigint> {
  const options = { signal, check: expectId, doubts: isRefusal }
  return BigInt(await pool.rpc<string>(path, 'eth_chainId', [], options))
}
