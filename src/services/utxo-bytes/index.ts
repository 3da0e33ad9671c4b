/** The binary form of an indexed UTXO, as in a node's getUTXOs, rebuilt from the parts that the index stores. */
import { encodeUtxo, type Output } from '../../chains/avalanche/codec/index.ts'
import { hexToBytes } from '../../lib/bytes/ids.ts'
import { encodeNodeHex } from '../../lib/bytes/node-hex.ts'
import type { UtxoRecord } from '../../store/index.ts'

/** `0x`, codec version, the UTXO, and four bytes of checksum. */
export const utxoBytes = (utxo: UtxoRecord): string =>
  encodeNodeHex(
    encodeUtxo({ txId: utxo.txId, outputIndex: utxo.outputIndex, assetId: utxo.asset.id, output: outputOf(utxo) }),
  )

function outputOf(utxo: UtxoRecord): Output {
  const owners = { locktime: utxo.locktime, threshold: utxo.threshold, addresses: utxo.addresses.map(hexToBytes) }
  switch (utxo.kind) {
    case 'transfer': {
      const output = { type: 'secp-transfer' as const, amount: utxo.amount ?? 0n, ...owners }
      return utxo.stakeableLocktime === undefined
        ? output
        : { type: 'stakeable-lock', locktime: utxo.stakeableLocktime, output }
    }
    case 'mint':
      return { type: 'secp-mint', ...owners }
    case 'nft-transfer':
      return { type: 'nft-transfer', groupId: utxo.groupId ?? 0, payload: hexToBytes(utxo.payload ?? ''), ...owners }
    case 'nft-mint':
      return { type: 'nft-mint', groupId: utxo.groupId ?? 0, ...owners }
    case 'property-owned':
      return { type: 'property-owned', ...owners }
    case 'property-mint':
      return { type: 'property-mint', ...owners }
  }
}
