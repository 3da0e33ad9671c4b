import { BadAnswerError, JsonRpcError } from '../../../errors.ts'
import { recordOf } from '../../../lib/json/json-record.ts'
import type { CallOptions, UpstreamPool } from '../../../upstream/types.ts'
import { textOf, uintOf } from './answers.ts'
import { ask, askFor } from './ask.ts'

/** The C block that contains an atomic transaction. */
export interface AtomicOrigin {
  height: bigint
  /** Unix seconds. */
  time: bigint
}

/**
 * The block in which C accepted an atomic transaction. A node that synced C's state from others knows only later ones,
 * so a node's "not found" is believed only when all nodes say so.
 * @param txId CB58
 * @throws BadAnswerError; JsonRpcError when no node has the transaction or its block
 */
export async function readAtomicOrigin(pool: UpstreamPool, txId: string, call: CallOptions): Promise<AtomicOrigin> {
  const method = 'avax.getAtomicTx'
  const params = { txID: txId, encoding: 'hex' }
  const height = await askFor(pool, '/ext/bc/C/avax', method, params, call, (answer) =>
    uintOf(recordOf(answer, method)['blockHeight'], method),
  )
  return { height, time: await readBlockTime(pool, height, call) }
}

const BLOCK = 'eth_getBlockByNumber'

/** Such nodes do not have the earlier blocks either, and answer null, which is not a fault. */
async function readBlockTime(pool: UpstreamPool, height: bigint, call: CallOptions): Promise<bigint> {
  const doubts = (said: unknown): boolean => said === null || said instanceof JsonRpcError
  const params = [`0x${height.toString(16)}`, false]
  const block = await ask(pool, '/ext/bc/C/rpc', BLOCK, params, { ...call, doubts })
  if (block === null) throw new JsonRpcError(`no node has block ${height} of the c-chain`, -32000)
  const time = textOf(recordOf(block, BLOCK)['timestamp'], `${BLOCK} timestamp`)
  if (!/^0x[0-9a-f]{1,16}$/i.test(time)) throw new BadAnswerError(`${BLOCK}: no time`)
  return BigInt(time)
}
