import { secpAuth } from '../inputs.ts'
import { list, struct, union, variant } from '../layout.ts'
import { outputOwnersVariant, transferableOutput } from '../outputs.ts'
import { address, nodeId, raw, u32, u64 } from '../primitives.ts'

/** Parts that several P-chain transactions share. */

/** `start` and `end` in unix seconds; since Durango `start` is ignored. `weight` in nAVAX or the subnet's unit. */
export const validator = struct('validator', { nodeId, start: u64, end: u64, weight: u64 })

export const owner = union('owner', outputOwnersVariant)
export const authorisation = secpAuth
export const stakeOutputs = list(transferableOutput)

const proofOfPossession = { publicKey: raw(48), signature: raw(96) }

/** Inline form, in the validators of a conversion. */
export const blsProof = struct('proof of possession', proofOfPossession)

export const signer = union(
  'signer',
  variant(27, 'no-signer', {}),
  variant(28, 'proof-of-possession', proofOfPossession),
)

/** Owners of an L1 validator's balance or deactivation: no locktime. */
export const pChainOwner = struct('P-chain owner', { threshold: u32, addresses: list(address) })
