import { recordOf } from '../../../lib/json-record.ts'
import { decodeNodeHex } from '../../../lib/node-hex.ts'
import type { CallOptions, UpstreamPool } from '../../../upstream/types.ts'
import { textOf } from './answers.ts'
import { ask } from './ask.ts'

/**
 * Bytes of the accepted block of a height, without its envelope. Apricot and genesis blocks come alike.
 * @throws BadAnswerError; JsonRpcError when the node has none at that height
 */
export async function readBlockBytes(
  pool: UpstreamPool,
  chain: 'P' | 'X',
  height: bigint,
  call: CallOptions,
): Promise<Buffer> {
  const [path, method] =
    chain === 'P' ? ['/ext/bc/P', 'platform.getBlockByHeight'] : ['/ext/bc/X', 'avm.getBlockByHeight']
  const answer = await ask(pool, path, method, { height: String(height), encoding: 'hex' }, call)
  return decodeNodeHex(textOf(recordOf(answer, method)['block'], method))
}
