import { BadAnswerError, JsonRpcError } from '../../../errors.ts'
import { idToCb58 } from '../../../lib/bytes/ids.ts'
import { decodeNodeHex } from '../../../lib/bytes/node-hex.ts'
import { sha256Hex } from '../../../lib/bytes/sha256.ts'
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
  const height = await askFor(pool, '/ext/bc/C/avax', method, params, call, (answer) => {
    const { tx, blockHeight } = recordOf(answer, method)
    // Origins are kept for good: the time of another transaction would stay.
    if (idToCb58(sha256Hex(decodeNodeHex(textOf(tx, `${method} tx`)))) !== txId)
      throw new BadAnswerError(`${method}: another transaction than ${txId}`)
    return uintOf(blockHeight, method)
  })
  return { height, time: await readBlockTime(pool, height, call) }
}

const BLOCK = 'eth_getBlockByNumber'

/** Such nodes do not have the earlier blocks either, and answer null, which is not a fault. */
async function readBlockTime(pool: UpstreamPool, height: bigint, call: CallOptions): Promise<bigint> {
  const doubts = (said: unknown): boolean => said === null || said instanceof JsonRpcError
  const params = [`0x${height.toString(16)}`, false]
  const check = (said: unknown): void => {
    if (said !== null) timeOf(said, height)
  }
  const block = await ask(pool, '/ext/bc/C/rpc', BLOCK, params, { ...call, doubts, check })
  if (block === null) throw new JsonRpcError(`no node has block ${height} of the c-chain`, -32000)
  return timeOf(block, height)
}

/** Unix seconds. */
function timeOf(block: unknown, height: bigint): bigint {
  const { number, timestamp } = recordOf(block, BLOCK)
  if (quantityOf(number) !== height) throw new BadAnswerError(`${BLOCK}: another block than ${height}`)
  const time = quantityOf(timestamp)
  if (time === undefined) throw new BadAnswerError(`${BLOCK}: no time`)
  return time
}

const quantityOf = (said: unknown): bigint | undefined =>
  typeof said === 'string' && /^0x[0-9a-f]{1,16}$/i.test(said) ? BigInt(said) : undefined
