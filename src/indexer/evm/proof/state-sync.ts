import { keccak256Hex } from '../../../lib/bytes/keccak256.ts'
import { bare, quantity, type RpcBlock } from '../rpc-block.ts'

const PREFIX = Buffer.from('matic-bor-receipt-')

/**
 * Whether a block ends with a state sync from Ethereum (Polygon): until PIP-74 it is in no root, and its hash follows
 * from the block's.
 */
export function endsWithStateSync({ number, hash, transactions }: RpcBlock): boolean {
  const last = transactions.at(-1)
  if (last === undefined) return false
  const height = Buffer.alloc(8)
  height.writeBigUInt64BE(BigInt.asUintN(64, quantity(number)))
  return keccak256Hex(Buffer.concat([PREFIX, height, Buffer.from(bare(hash), 'hex')])) === bare(last.hash)
}
