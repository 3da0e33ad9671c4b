import { EMPTY_ID } from './binary-text.ts'
import type { NodeContext } from './node-context.ts'
import { isL1Validator, type PlatformState } from './platform-state.ts'
import type { RecordedChain } from './recorded-chain.ts'
import type { RecordedStaker, Stakers } from './stakers.ts'

export interface Signer {
  publicKey: string
  proofOfPossession: string
}

export interface SetMember {
  nodeID: string
  publicKey: string | null
  weight: bigint
}

/** Who validates which subnet at which height. */
export interface ValidatorSets {
  /** The BLS key a primary-network validator registered; undefined without one. */
  signerOf(staker: RecordedStaker): Signer | undefined
  /** A subnet's set at a height; undefined when the recordings cannot tell. */
  at(subnetID: string, height: number): SetMember[] | undefined
  /** Subnets that have a set at a height, the primary network first. */
  subnetsAt(height: number): string[]
}

interface GenesisFile {
  initialStakers: { nodeID: string; signer?: Signer }[]
}

const isDelegator = (staker: RecordedStaker): boolean => staker.type.includes('Delegator')

export function createValidatorSets(
  context: NodeContext,
  chain: RecordedChain,
  stakers: Stakers,
  state: PlatformState,
): ValidatorSets {
  const signerOf = (staker: RecordedStaker): Signer | undefined => {
    if (staker.genesis) {
      const genesis = context.recordings.json<GenesisFile>('network/genesis.json')
      return genesis.initialStakers.find((initial) => initial.nodeID === staker.nodeID)?.signer
    }
    const json = chain.transaction(staker.txID, 'json')
    if (json === undefined) return undefined
    const { unsignedTx } = JSON.parse(json) as { unsignedTx: { signer?: Partial<Signer> } }
    const { publicKey, proofOfPossession } = unsignedTx.signer ?? {}
    return publicKey === undefined || proofOfPossession === undefined ? undefined : { publicKey, proofOfPossession }
  }
  const primaryAt = (height: number): SetMember[] => {
    const members = new Map<string, SetMember>()
    const current = stakers.at(height).filter((staker) => staker.subnetID === EMPTY_ID)
    for (const staker of current.filter((one) => !isDelegator(one))) {
      const publicKey = signerOf(staker)?.publicKey ?? null
      members.set(staker.nodeID, { nodeID: staker.nodeID, publicKey, weight: BigInt(staker.weight) })
    }
    for (const staker of current.filter(isDelegator)) {
      const member = members.get(staker.nodeID)
      if (member !== undefined) member.weight += BigInt(staker.weight)
    }
    return [...members.values()].sort((a, b) => (a.nodeID < b.nodeID ? -1 : 1))
  }
  const permissionedAt = (subnetID: string, height: number): SetMember[] => {
    const keys = new Map(primaryAt(height).map((member) => [member.nodeID, member.publicKey]))
    return stakers
      .at(height)
      .filter((staker) => staker.subnetID === subnetID)
      .map(({ nodeID, weight }) => ({ nodeID, publicKey: keys.get(nodeID) ?? null, weight: BigInt(weight) }))
  }
  const registeredBy = (validationID: string, height: number): boolean => {
    for (const line of context.recordings.lines('network/truth/l1-events.ndjson.gz')) {
      const event = JSON.parse(line) as { validationID: string; height: number; event: string }
      if (event.validationID === validationID && event.event === 'registered') return event.height <= height
    }
    return true
  }
  const at = (subnetID: string, height: number): SetMember[] | undefined => {
    if (subnetID === EMPTY_ID) return primaryAt(height)
    const subnet = state.subnets.find((one) => one.id === subnetID)
    if (subnet === undefined) return []
    if (!subnet.validators.validators.some(isL1Validator)) return permissionedAt(subnetID, height)
    if (!subnet.validators.validators.some((one) => isL1Validator(one) && registeredBy(one.validationID, height))) {
      return permissionedAt(subnetID, height)
    }
    // An L1's weights change by messages between chains; only the recorded end is known exactly.
    if (height !== state.height) return undefined
    return Object.entries(subnet.validatorsAt).map(([nodeID, { publicKey, weight }]) => ({
      nodeID,
      publicKey,
      weight: BigInt(weight),
    }))
  }
  return {
    signerOf,
    at,
    subnetsAt: (height) =>
      [EMPTY_ID, ...state.subnets.map((subnet) => subnet.id).filter((id) => id !== EMPTY_ID)].filter(
        (id) => at(id, height)?.length !== 0,
      ),
  }
}
