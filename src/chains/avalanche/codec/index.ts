/**
 * Decoders and encoders of Avalanche's binary formats, each pair made from one description (layout.ts).
 * Ids and node ids are hex without 0x, addresses and payloads views on the decoded buffer, 64-bit numbers bigint.
 */
export { CodecError } from './codec-error.ts'
export type {
  Output,
  OutputOwners,
  SecpTransferOutput,
  StakeableLockOutput,
  TransferableOutput,
} from './outputs.ts'
export { decodeUtxo, encodeUtxo, type Utxo, utxoId } from './utxo.ts'
