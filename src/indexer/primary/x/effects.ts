import type { Output, UnsignedXTx, XBlock, XTx } from '../../../chains/avalanche/codec/index.ts'
import { isOlderThanBlocks, letterOf, type NetworkIds } from '../network-ids.ts'
import type { Sink } from '../sink.ts'
import { consumeInputs, createOutputs, type Moment, typeIdOf } from '../utxo-rows.ts'

/** Effects of an X block on UTXOs and assets. Pure: block in, rows out. */
export function applyXBlock(sink: Sink, ids: NetworkIds, block: XBlock): void {
  const at: Moment = { height: block.height, time: block.time }
  const { height, time } = at
  for (const [position, tx] of block.txs.entries()) {
    sink.transactions.push({ id: tx.id, height, time, position, type: typeIdOf(tx.bytes) })
    applyXTx(sink, ids, at, tx)
  }
}

export function applyXTx(sink: Sink, ids: NetworkIds, at: Moment, tx: XTx): void {
  const { id, unsignedTx, credentials } = tx
  const { inputs, outputs } = unsignedTx
  const perhapsOlder = isOlderThanBlocks(ids)
  consumeInputs(sink, at, id, inputs, { credentials, perhapsOlder })
  createOutputs(sink, at, id, 0, outputs)
  if (unsignedTx.type === 'ImportTx') {
    const importedFrom = letterOf(ids, unsignedTx.sourceChain)
    const rest = credentials.slice(inputs.length)
    consumeInputs(sink, at, id, unsignedTx.importedInputs, { importedFrom, credentials: rest })
  } else if (unsignedTx.type === 'ExportTx') {
    const exportedTo = letterOf(ids, unsignedTx.destinationChain)
    createOutputs(sink, at, id, outputs.length, unsignedTx.exportedOutputs, { exportedTo })
  } else if (unsignedTx.type === 'CreateAssetTx') {
    createAsset(sink, at, id, unsignedTx)
  } else if (unsignedTx.type === 'OperationTx') {
    operate(sink, at, tx, unsignedTx, perhapsOlder)
  }
}

/**
 * Feature extensions that decide an asset's kind, by their numbers: an asset with NFTs is shown as an NFT, whatever
 * else it has.
 */
const NAMING = [
  [1, 'nft'],
  [2, 'property'],
] as const

export function createAsset(
  sink: Sink,
  at: Moment,
  id: string,
  tx: Extract<UnsignedXTx, { type: 'CreateAssetTx' }>,
): void {
  const { name, symbol, denomination, initialStates, outputs } = tx
  const [, type = 'secp256k1'] =
    NAMING.find(([feature]) => initialStates.some((state) => state.fxIndex === feature)) ?? []
  sink.assets.push({ id, name, symbol, denomination, type, height: at.height })
  const initial = initialStates.flatMap((state) => state.outputs).map((output) => ({ assetId: id, output }))
  createOutputs(sink, at, id, outputs.length, initial)
}

type OperationTx = Extract<UnsignedXTx, { type: 'OperationTx' }>
type Operation = OperationTx['operations'][number]

function operate(sink: Sink, at: Moment, { id, credentials }: XTx, tx: OperationTx, perhapsOlder: boolean): void {
  let next = tx.outputs.length
  for (const [i, operation] of tx.operations.entries()) {
    const credential = credentials[tx.inputs.length + i]
    // One credential serves all UTXOs of an operation.
    const shared = credential ? { credentials: operation.utxos.map(() => credential) } : {}
    consumeInputs(sink, at, id, operation.utxos, { ...shared, perhapsOlder })
    const made = operationOutputs(operation).map((output) => ({ assetId: operation.assetId, output }))
    createOutputs(sink, at, id, next, made)
    next += made.length
  }
}

/** Outputs of an operation in the order in which they are numbered after the transaction's own. */
function operationOutputs({ operation }: Operation): Output[] {
  switch (operation.type) {
    case 'secp-mint-operation':
      return [
        { ...operation.mintOutput, type: 'secp-mint' },
        { ...operation.transferOutput, type: 'secp-transfer' },
      ]
    case 'nft-mint-operation':
      return operation.owners.map((owners) => ({
        ...owners,
        type: 'nft-transfer',
        groupId: operation.groupId,
        payload: operation.payload,
      }))
    case 'nft-transfer-operation':
      return [{ ...operation.output, type: 'nft-transfer' }]
    case 'property-mint-operation':
      return [
        { ...operation.mintOutput, type: 'property-mint' },
        { ...operation.ownedOutput, type: 'property-owned' },
      ]
    case 'property-burn-operation':
      return []
  }
}
