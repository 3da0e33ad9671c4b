import { decodeXBlock, openContainer } from '../../chains/avalanche/codec/index.ts'
import { hexToBytes } from '../../lib/bytes/ids.ts'
import type { ContainerRow, NumberedTransaction } from '../../store/index.ts'
import type { Container } from './container-source.ts'

/** Precedes a standalone transaction; inside a block it is left out. */
const CODEC_VERSION = Buffer.alloc(2)

/**
 * Transactions of X as containers, cut out of the blocks that accepted them. Each was accepted with its block. Nodes
 * have no equivalent since blocks replaced vertices: their index of transactions stays empty.
 * @throws Error when a block or a transaction in it is missing, which a complete index rules out
 */
export function cutTransactions(
  transactions: readonly NumberedTransaction[],
  blocks: readonly ContainerRow[],
): Container[] {
  const byHeight = new Map(blocks.map((block) => [block.height, block] as const))
  const decoded = new Map<bigint, ReturnType<typeof decodeXBlock>>()
  return transactions.map(({ id, index, height, position }) => {
    const container = byHeight.get(height)
    if (!container) throw new Error(`X block ${height} is not in the index`)
    const block = decoded.get(height) ?? decodeXBlock(openContainer(container.bytes).innerBlock)
    decoded.set(height, block)
    const tx = block.txs[position]
    if (tx?.id !== id) throw new Error(`X block ${height} does not hold ${id} at ${position}`)
    const bytes = Buffer.concat([CODEC_VERSION, tx.bytes])
    return { id: hexToBytes(id), bytes, timestamp: container.acceptedAt, index }
  })
}
