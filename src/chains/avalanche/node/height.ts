import { BadAnswerError } from '../../../errors.ts'
import { HEIGHT_CALLS } from '../../../facts/height-calls.ts'
import type { ChainLetter } from '../../../facts/primary-network.ts'
import { recordOf } from '../../../lib/json/json-record.ts'
import type { CallOptions, UpstreamPool } from '../../../upstream/types.ts'
import { uintOf } from './answers.ts'
import { askFor } from './ask.ts'

/**
 * Height of the last accepted block at a moment after the call: never shared with another caller's call in flight,
 * whose answer may be older than what the height is compared with. Where a node tells none, or its gateway does not
 * allow the question, the next one is asked.
 * @throws BadAnswerError; JsonRpcError when all refuse
 */
export function readHeight(pool: UpstreamPool, chain: ChainLetter, call: CallOptions): Promise<bigint> {
  const fresh = { ...call, fresh: true }
  const { path, method, params } = HEIGHT_CALLS[chain]
  const read = (answer: unknown): bigint =>
    chain === 'C' ? quantityOf(answer) : uintOf(recordOf(answer, method)['height'], method)
  return askFor(pool, path, method, params, fresh, read)
}

function quantityOf(hex: unknown): bigint {
  if (typeof hex !== 'string' || !/^0x[0-9a-f]{1,16}$/i.test(hex))
    throw new BadAnswerError('eth_blockNumber: no height')
  return BigInt(hex)
}
