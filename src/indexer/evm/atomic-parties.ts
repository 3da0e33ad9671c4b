import { decodeExtData } from '../../chains/avalanche/codec/index.ts'
import { bytesToHex } from '../../lib/ids.ts'

/**
 * Accounts of C that its transactions from and to other chains give to or take from; hex without 0x.
 * @param extData a block's `blockExtraData`
 * @throws CodecError
 */
export const atomicParties = (extData: Uint8Array): string[] =>
  decodeExtData(extData).txs.flatMap(({ unsignedTx }) =>
    (unsignedTx.type === 'ImportTx' ? unsignedTx.outputs : unsignedTx.inputs).map(({ address }) => bytesToHex(address)),
  )
