import { outputFields, type Utxo } from '../../../chains/avalanche/codec/index.ts'
import { BadAnswerError } from '../../../errors.ts'
import { utxoId } from '../../../lib/bytes/utxo-id.ts'
import type { UtxoRow } from '../../../store/rows/index.ts'
import { StreamBlockedError } from '../../runner/stream-errors.ts'

/**
 * Compares computed rewards with the node's.
 * @throws StreamBlockedError when the outputs differ, BadAnswerError when the node knows of none yet
 */
export function expectSameRewards(height: bigint, computed: readonly UtxoRow[], paid: readonly Utxo[]): void {
  const found = computed.map((row) => comparable(row)).sort()
  const expected = paid.map(({ txId, outputIndex, assetId, output }) =>
    comparable({ txId, outputIndex, assetId, ...outputFields(output) }),
  )
  if (found.join() === expected.sort().join()) return
  // The node lags behind the one that provided the blocks.
  if (expected.length === 0) throw new BadAnswerError(`P block ${height}: the node knows of no rewards`)
  throw new StreamBlockedError(
    `P block ${height}: rewards were computed as ${found.join(' ') || 'none'}, the node paid ${expected.join(' ') || 'none'}; nodes started with staking rules of their own need chains.avalanche.<network>.staking`,
  )
}

function comparable(row: Omit<UtxoRow, 'height' | 'time'>): string {
  const { txId, outputIndex, assetId, amount, threshold, locktime, addresses } = row
  return [utxoId({ txId, outputIndex }), assetId, amount, threshold, locktime, ...addresses].join(':')
}
