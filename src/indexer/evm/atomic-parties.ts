import { decodeExtData } from '../../chains/avalanche/codec/index.ts'
import { bytesToHex } from '../../lib/bytes/ids.ts'

/**
 * C-chain accounts credited or debited by its transactions from and to other chains; hex without 0x.
 * @param extData a block's `blockExtraData`
 * @throws CodecError
 */
export const atomicParties = (extData: Uint8Array): string[] =>
  decodeExtData(extData).txs.flatMap(({ unsignedTx }) =>
    (unsignedTx.type === 'ImportTx' ? unsignedTx.outputs : unsignedTx.inputs).map(({ address }) => bytesToHex(address)),
  )
