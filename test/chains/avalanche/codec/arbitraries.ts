import fc, { type Arbitrary } from 'fast-check'
import type {
  Credential,
  Output,
  OutputOwners,
  TransferableInput,
  TransferableOutput,
} from '../../../../src/chains/avalanche/codec/index.ts'

/** Random values of the parts that transactions of all chains are made of. */
export const u32 = fc.nat({ max: 0xffffffff })
export const u64 = fc.bigInt({ min: 0n, max: 0xffff_ffff_ffff_ffffn })
export const bytes = (size: number): Arbitrary<Uint8Array> => fc.uint8Array({ minLength: size, maxLength: size })
export const blob = fc.uint8Array({ maxLength: 40 })
export const hex = (size: number): Arbitrary<string> => bytes(size).map((value) => Buffer.from(value).toString('hex'))
export const id = hex(32)
export const nodeId = hex(20)
/** ASCII, because avalanchejs counts characters where bytes belong. */
export const text = fc.string({ maxLength: 12 })
export const few = <T>(item: Arbitrary<T>): Arbitrary<T[]> => fc.array(item, { maxLength: 3 })

const ownerFields = { locktime: u64, threshold: u32, addresses: few(bytes(20)) }
export const owners: Arbitrary<OutputOwners> = fc.record(ownerFields)
export const owner = fc.record({ type: fc.constant('output-owners' as const), ...ownerFields })

export const secpTransfer = fc.record({ type: fc.constant('secp-transfer' as const), amount: u64, ...ownerFields })
export const secpMint = fc.record({ type: fc.constant('secp-mint' as const), ...ownerFields })
export const nftTransfer = fc.record({
  type: fc.constant('nft-transfer' as const),
  groupId: u32,
  payload: blob,
  ...ownerFields,
})
export const propertyMint = fc.record({ type: fc.constant('property-mint' as const), ...ownerFields })
export const propertyOwned = fc.record({ type: fc.constant('property-owned' as const), ...ownerFields })
const stakeableLock = fc.record({
  type: fc.constant('stakeable-lock' as const),
  locktime: u64,
  output: secpTransfer,
})

/** Outputs of X. */
export const xOutput: Arbitrary<Output> = fc.oneof(
  secpMint,
  secpTransfer,
  fc.record({ type: fc.constant('nft-mint' as const), groupId: u32, ...ownerFields }),
  nftTransfer,
  propertyMint,
  propertyOwned,
)
export const anyOutput: Arbitrary<Output> = fc.oneof(xOutput, stakeableLock)

export const pOutput: Arbitrary<TransferableOutput> = fc.record({
  assetId: id,
  output: fc.oneof(secpTransfer, stakeableLock),
})
export const plainOutput: Arbitrary<TransferableOutput> = fc.record({ assetId: id, output: secpTransfer })

const secpInput = fc.record({ type: fc.constant('secp-transfer' as const), amount: u64, sigIndices: few(u32) })
const spend = { txId: id, outputIndex: u32, assetId: id }
export const plainInput: Arbitrary<TransferableInput> = fc.record({ ...spend, input: secpInput })
export const pInput: Arbitrary<TransferableInput> = fc.record({
  ...spend,
  input: fc.oneof(
    secpInput,
    fc.record({ type: fc.constant('stakeable-lock' as const), locktime: u64, input: secpInput }),
  ),
})

const signatures = { signatures: few(bytes(65)) }
export const secpCredential: Arbitrary<Credential> = fc.record({
  type: fc.constant('secp-credential' as const),
  ...signatures,
})
export const xCredential: Arbitrary<Credential> = fc.record({
  type: fc.constantFrom('secp-credential' as const, 'nft-credential' as const, 'property-credential' as const),
  ...signatures,
})
