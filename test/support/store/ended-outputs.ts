import type { BlockRow, Store, UtxoRow } from '../../../src/store/index.ts'
import { addressOf, timeOf } from '../generated/made-chain.ts'

const hexOf = (number: number): string => number.toString(16).padStart(64, '0')

/**
 * Writes a range with outputs and stake of many owners and a range in which all of them end: outputs are spent, stake is
 * prolonged, released and spent. Sends every statement that ends something.
 * @param height of the first of the two blocks, each of which is a range
 * @param parentId of that block
 */
export async function commitEnds(
  store: Store,
  stream: string,
  { height, parentId = hexOf(height), count }: { height: number; parentId?: string | undefined; count: number },
): Promise<void> {
  const txId = hexOf(height)
  const place = (outputIndex: number) => ({ txId, outputIndex })
  const places = Array.from({ length: count }, (_, outputIndex) => place(outputIndex))
  const made = { height: BigInt(height), time: timeOf(height) }
  const ends = { height: BigInt(height + 1), time: timeOf(height + 1) }
  const isStake = ({ outputIndex }: { outputIndex: number }): boolean => outputIndex % 4 === 0
  const utxos = places.map(
    (at): UtxoRow => ({
      ...at,
      ...made,
      kind: 'transfer',
      assetId: 'a0'.repeat(32),
      amount: 1n,
      addresses: [addressOf(at.outputIndex % 500)],
      threshold: 1,
      locktime: 0n,
      ...(isStake(at) ? { stake: { start: made.time, end: ends.time } } : {}),
    }),
  )
  const stakes = places.filter(isStake)
  const commit = (at: number, rows: object): Promise<void> => {
    const block = { ...blockRow(at), ...(at === height ? { parentId } : {}) }
    const progress = { from: block.height, parentId: block.parentId, height: block.height, blockId: block.id }
    return store.writer.commitRange(
      stream,
      { primary: { blocks: [block], ...rows } },
      { ...progress, time: block.time },
    )
  }
  await commit(height, { utxos })
  await commit(height + 1, {
    prolongations: stakes.map((at) => ({ ...at, end: ends.time })),
    releases: stakes.map((at) => ({ ...at, time: ends.time })),
    spends: places.map((at) => ({ ...at, ...ends, by: hexOf(height + 1) })),
  })
}

function blockRow(height: number): BlockRow {
  return {
    height: BigInt(height),
    id: hexOf(height + 1),
    parentId: hexOf(height),
    type: 'BanffStandardBlock',
    time: timeOf(height),
    size: 700,
    txIds: [hexOf(height)],
  }
}
