import { decodeNodeHex } from '../../../lib/bytes/node-hex.ts'
import { recordOf } from '../../../lib/json/json-record.ts'
import type { CallOptions, UpstreamPool } from '../../../upstream/types.ts'
import { textOf } from './answers.ts'
import { ask } from './ask.ts'

/** A node's answer for the accepted block of a height, `{block, encoding}`. @throws JsonRpcError when it has none */
export function readBlock(pool: UpstreamPool, chain: 'P' | 'X', height: bigint, call: CallOptions): Promise<unknown> {
  const { path, method } = WHERE[chain]
  return ask(pool, path, method, { height: String(height), encoding: 'hex' }, call)
}

const WHERE = {
  P: { path: '/ext/bc/P', method: 'platform.getBlockByHeight' },
  X: { path: '/ext/bc/X', method: 'avm.getBlockByHeight' },
} as const

/**
 * Bytes of the accepted block of a height, without its envelope. Also works for Apricot and genesis blocks.
 * @throws BadAnswerError; JsonRpcError when the node has none at that height
 */
export async function readBlockBytes(
  pool: UpstreamPool,
  chain: 'P' | 'X',
  height: bigint,
  call: CallOptions,
): Promise<Buffer> {
  const { method } = WHERE[chain]
  const answer = recordOf(await readBlock(pool, chain, height, call), method)
  return decodeNodeHex(textOf(answer['block'], method))
}
