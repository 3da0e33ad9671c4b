import { secpInput } from '../inputs.ts'
import { list, struct, union, variant } from '../layout.ts'
import {
  nftTransferOutput,
  outputOwners,
  propertyMintOutput,
  propertyOwnedOutput,
  secpMintOutput,
  secpTransferOutput,
} from '../outputs.ts'
import { blob, id, u32 } from '../primitives.ts'

const utxoName = struct('utxo name', { txId: id, outputIndex: u32 })

/** What an operation does to the UTXOs it names. Outputs are inline: on the wire they have no type id here. */
const operationBody = union(
  'operation',
  variant(8, 'secp-mint-operation', {
    input: secpInput,
    mintOutput: secpMintOutput,
    transferOutput: secpTransferOutput,
  }),
  /** Creates one nft-transfer output (of this group and payload) per owner; the mint output is not created again. */
  variant(12, 'nft-mint-operation', { input: secpInput, groupId: u32, payload: blob, owners: list(outputOwners) }),
  variant(13, 'nft-transfer-operation', { input: secpInput, output: nftTransferOutput }),
  variant(17, 'property-mint-operation', {
    input: secpInput,
    mintOutput: propertyMintOutput,
    ownedOutput: propertyOwnedOutput,
  }),
  variant(18, 'property-burn-operation', { input: secpInput }),
)

export const operation = struct('asset operation', { assetId: id, utxos: list(utxoName), operation: operationBody })
