/**
 * Decoders and encoders of Avalanche's binary formats, each pair generated from one description (layout.ts).
 * Ids and node ids are hex without 0x, addresses and payloads views on the decoded buffer, 64-bit numbers bigint.
 */

export { blockHeight } from './block-height.ts'
export {
  type AtomicTx,
  decodeAtomicTx,
  decodeExtData,
  type ExtData,
  encodeAtomicTx,
  encodeExtData,
  type UnsignedAtomicTx,
} from './c/atomic-txs.ts'
export { type CBlock, cBlockId, cTransactionHash, decodeCBlock, encodeCBlock } from './c/block.ts'
export { expectExtData } from './c/ext-data-hash.ts'
export { C_HEADER_FIELDS, type CHeader } from './c/header.ts'
export { CodecError } from './codec-error.ts'
export {
  decodeEnvelope,
  type Envelope,
  encodeEnvelope,
  envelopeId,
  nodeIdOfCertificate,
  type OpenContainer,
  openContainer,
} from './envelope.ts'
export { buildGenesis, buildGenesisBytes, localStartTimes } from './genesis/builder.ts'
export { decodePGenesis, decodeXGenesis, encodePGenesis, encodeXGenesis } from './genesis/bytes.ts'
export { type Genesis, readGenesis } from './genesis/genesis.ts'
export { genesisOrder } from './genesis/stakers.ts'
export type { SecpAuth, TransferableInput } from './inputs.ts'
export {
  type ConversionData,
  conversionId,
  conversionValidationId,
} from './l1-ids.ts'
export { type OutputFields, outputFields } from './output-fields.ts'
export type {
  Output,
  OutputOwners,
  SecpTransferOutput,
  StakeableLockOutput,
  TransferableOutput,
} from './outputs.ts'
export { decodePBlock, encodePBlock, innerBlockId, type PBlock } from './p/blocks.ts'
export { assemblePTx, decodePTx, encodePTx, type PTx, type UnsignedPTx } from './p/txs.ts'
export type { Credential, SignedTx } from './signed-tx.ts'
export { decodeUtxo, encodeUtxo, type Utxo } from './utxo.ts'
export {
  decodeL1Message,
  decodeWarpMessage,
  decodeWarpPayload,
  encodeL1Message,
  encodeWarpMessage,
  encodeWarpPayload,
  type L1Message,
  l1MessageOf,
  type WarpMessage,
  type WarpPayload,
} from './warp.ts'
export {
  decodeXBlock,
  encodeXBlock,
  type XBlock,
  xGenesisBlock,
} from './x/blocks.ts'
export { assembleXTx, decodeXTx, encodeXTx, type UnsignedXTx, type XTx } from './x/txs.ts'
