import { BadAnswerError, FirnError } from '../../../errors.ts'
import { recordOf } from '../../../lib/json/json-record.ts'
import type { ChainLetter } from '../../../lib/primary-network.ts'
import type { CallOptions, UpstreamPool } from '../../../upstream/types.ts'
import { uintOf } from './answers.ts'
import { ask } from './ask.ts'

/**
 * Height of the last accepted block at a moment after the call: never shared with another caller's call in flight,
 * whose answer may be older than what the height is compared with.
 */
export async function readHeight(pool: UpstreamPool, chain: ChainLetter, call: CallOptions): Promise<bigint> {
  // A call that is not shared is not retried by the pool either: one more try for a failing upstream.
  return once(pool, chain, call).catch((error: unknown) => {
    if (error instanceof FirnError && error.retryable) return once(pool, chain, call)
    throw error
  })
}

async function once(pool: UpstreamPool, chain: ChainLetter, call: CallOptions): Promise<bigint> {
  // A call bound to one node is never shared, and may be retried as long as it is not bound yet.
  const fresh = call.sameServer ? call : { ...call, idempotent: false }
  if (chain === 'C') {
    const hex = await ask(pool, '/ext/bc/C/rpc', 'eth_blockNumber', [], fresh)
    if (typeof hex !== 'string' || !/^0x[0-9a-f]{1,16}$/i.test(hex))
      throw new BadAnswerError('eth_blockNumber: no height')
    return BigInt(hex)
  }
  const [path, method] = chain === 'P' ? ['/ext/bc/P', 'platform.getHeight'] : ['/ext/bc/X', 'avm.getHeight']
  return uintOf(recordOf(await ask(pool, path, method, {}, fresh), method)['height'], method)
}
