import type { NodeContext } from '../node-context.ts'
import type { RecordedChain } from '../recorded/recorded-chain.ts'
import { EMPTY_ID } from '../wire/binary-text.ts'
import { isL1Validator, type PlatformState } from './platform-state.ts'
import { isDelegator, type RecordedStaker, type Stakers } from './stakers.ts'

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

interface Deps {
  context: NodeContext
  chain: RecordedChain
  stakers: Stakers
  state: PlatformState
}

function signerOf({ context, chain }: Deps, staker: RecordedStaker): Signer | undefined {
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

function primaryAt(deps: Deps, height: number): SetMember[] {
  const members = new Map<string, SetMember>()
  const current = deps.stakers.at(height).filter((staker) => staker.subnetID === EMPTY_ID)
  for (const staker of current.filter((one) => !isDelegator(one))) {
    const publicKey = signerOf(deps, staker)?.publicKey ?? null
    members.set(staker.nodeID, { nodeID: staker.nodeID, publicKey, weight: BigInt(staker.weight) })
  }
  for (const staker of current.filter(isDelegator)) {
    const member = members.get(staker.nodeID)
    if (member !== undefined) member.weight += BigInt(staker.weight)
  }
  return [...members.values()].sort((a, b) => (a.nodeID < b.nodeID ? -1 : 1))
}

function permissionedAt(deps: Deps, subnetID: string, height: number): SetMember[] {
  const keys = new Map(primaryAt(deps, height).map((member) => [member.nodeID, member.publicKey]))
  return deps.stakers
    .at(height)
    .filter((staker) => staker.subnetID === subnetID)
    .map(({ nodeID, weight }) => ({ nodeID, publicKey: keys.get(nodeID) ?? null, weight: BigInt(weight) }))
}

/** Whether an L1's validator was registered at a P-chain height. */
export function registeredBy(context: NodeContext, validationID: string, height: number): boolean {
  for (const line of context.recordings.lines('network/truth/l1-events.ndjson.gz')) {
    const event = JSON.parse(line) as { validationID: string; height: number; event: string }
    if (event.validationID === validationID && event.event === 'registered') return event.height <= height
  }
  return true
}

/** A subnet's set as the node said it at the end of the recording; undefined for another height. */
function setAtEnd({ state }: Deps, subnetID: string, height: number): SetMember[] | undefined {
  const subnet = state.subnets.find((one) => one.id === subnetID)
  if (subnet?.validatorsAt === undefined || height !== Number(state.height)) return undefined
  return Object.entries(subnet.validatorsAt).map(([nodeID, { publicKey, weight }]) => ({
    nodeID,
    publicKey,
    weight: BigInt(weight),
  }))
}

function setAt(deps: Deps, subnetID: string, height: number): SetMember[] | undefined {
  // Without a truth about stakers only the end is known.
  if (deps.stakers.all().length === 0) return setAtEnd(deps, subnetID, height)
  if (subnetID === EMPTY_ID) return primaryAt(deps, height)
  const subnet = deps.state.subnets.find((one) => one.id === subnetID)
  if (subnet === undefined) return []
  const converted = subnet.validators.validators
    .filter(isL1Validator)
    .some((one) => registeredBy(deps.context, one.validationID, height))
  if (!converted) return permissionedAt(deps, subnetID, height)
  // An L1's weights change by messages between chains; only the recorded end is known exactly.
  return setAtEnd(deps, subnetID, height)
}

export function createValidatorSets(deps: Deps): ValidatorSets {
  const subnets = [EMPTY_ID, ...deps.state.subnets.map((subnet) => subnet.id).filter((id) => id !== EMPTY_ID)]
  return {
    signerOf: (staker) => signerOf(deps, staker),
    at: (subnetID, height) => setAt(deps, subnetID, height),
    subnetsAt: (height) => subnets.filter((id) => setAt(deps, id, height)?.length !== 0),
  }
}
