import { BadAnswerError } from '../../../errors.ts'
import { decodeNodeHex } from '../../../lib/bytes/node-hex.ts'
import { recordOf } from '../../../lib/json/json-record.ts'
import type { CallOptions, UpstreamPool } from '../../../upstream/types.ts'
import { blockHeight } from '../codec/index.ts'
import { textOf } from './answers.ts'
import { ask, askFor } from './ask.ts'

/** A node's answer for the accepted block of a height, `{block, encoding}`. @throws JsonRpcError when it has none */
export function readBlock(pool: UpstreamPool, chain: 'P' | 'X', height: bigint, call: CallOptions): Promise<unknown> {
  const { path, method } = WHERE[chain]
  return ask(pool, path, method, paramsOf(height), call)
}

const paramsOf = (height: bigint) => ({ height: String(height), encoding: 'hex' })

const WHERE = {
  P: { path: '/ext/bc/P', method: 'platform.getBlockByHeight' },
  X: { path: '/ext/bc/X', method: 'avm.getBlockByHeight' },
} as const

/**
 * Bytes of the accepted block of a height, without its envelope. Also works for Apricot and genesis blocks. Where a node
 * has none, or tells another block, the next one is asked.
 * @throws BadAnswerError; JsonRpcError when no node has one at that height
 */
export function readBlockBytes(
  pool: UpstreamPool,
  chain: 'P' | 'X',
  height: bigint,
  call: CallOptions,
): Promise<Buffer> {
  const { path, method } = WHERE[chain]
  return askFor(pool, path, method, paramsOf(height), call, (answer) => {
    const bytes = decodeNodeHex(textOf(recordOf(answer, method)['block'], method))
    const told = blockHeight(bytes)
    // Whether a kind of block that is not known here can be read is for the caller to say.
    if (told !== undefined && told !== height)
      throw new BadAnswerError(`${chain} block ${told} where ${height} was asked for`)
    return bytes
  })
}
