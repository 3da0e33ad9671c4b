import type { Recordings } from '../recorded/recordings.ts'

/** A validator of an L1 as a node lists it; members stay in the recorded order. */
export interface L1Validator {
  nodeID: string
  weight: string
  validationID: string
  publicKey: string
}

export interface SubnetState {
  id: string
  controlKeys: string[]
  threshold: string
  details: unknown
  validators: { validators: Partial<L1Validator>[] }
  validatorsAt?: Record<string, { publicKey: string | null; weight: string }>
}

/** platform-state.json: what the node answered at the end of the recording. */
export interface PlatformState {
  height: number
  timestamp: string
  blockchains: { blockchains: { id: string; name: string; subnetID: string; vmID: string }[] }
  subnets: SubnetState[]
  primary: { validators: { txID: string; nodeID: string }[] }
  primaryOneByOne: { validators: { txID: string; nodeID: string; delegators?: unknown[] }[] }[]
  supply?: { supply: string }
  /** That of the primary network. */
  totalStake?: { stake: string; weight: string }
  feeState: { capacity: number; excess: number; price: number; timestamp: string }
  minStake: unknown
}

export function readPlatformState(recordings: Recordings): PlatformState {
  return recordings.json<PlatformState>('network/platform-state.json')
}

export function isL1Validator(validator: Partial<L1Validator>): validator is L1Validator {
  return validator.validationID !== undefined
}
