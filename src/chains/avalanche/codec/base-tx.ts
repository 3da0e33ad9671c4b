import { transferableInput } from './inputs.ts'
import { list } from './layout.ts'
import { transferableOutput } from './outputs.ts'
import { blob, id, u32 } from './primitives.ts'

/** First fields of most transactions of P and X. `blockchainId` is the chain the transaction runs on. */
export const baseFields = {
  networkId: u32,
  blockchainId: id,
  outputs: list(transferableOutput),
  inputs: list(transferableInput),
  memo: blob,
}
