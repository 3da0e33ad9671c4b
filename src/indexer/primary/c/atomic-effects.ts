import type { AtomicTx } from '../../../chains/avalanche/codec/index.ts'
import { letterOf, type NetworkIds } from '../network-ids.ts'
import type { Sink } from '../sink.ts'
import { consumeInputs, createOutputs, type Moment, typeIdOf } from '../utxo-rows.ts'

/** What the atomic transactions of a C block do to shared memory. Pure: transactions in, rows out. */
export function applyAtomicTxs(sink: Sink, ids: NetworkIds, at: Moment, txs: readonly AtomicTx[]): void {
  for (const [position, { id, bytes, unsignedTx, credentials }] of txs.entries()) {
    sink.transactions.push({ id, ...at, position, type: typeIdOf(bytes) })
    if (unsignedTx.type === 'ImportTx') {
      const importedFrom = letterOf(ids, unsignedTx.sourceChain)
      consumeInputs(sink, at, id, unsignedTx.importedInputs, { importedFrom, credentials })
    } else {
      const exportedTo = letterOf(ids, unsignedTx.destinationChain)
      createOutputs(sink, at, id, 0, unsignedTx.exportedOutputs, { exportedTo })
    }
  }
}
