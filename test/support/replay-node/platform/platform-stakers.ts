import type { NodeContext } from '../node-context.ts'
import { EMPTY_ID } from '../wire/binary-text.ts'
import { type Arguments, BadArgumentsError } from '../wire/gorilla-arguments.ts'
import { type GorillaMethod, MethodError, NotRecordedError } from '../wire/gorilla-rpc.ts'
import { isL1Validator, type PlatformState } from './platform-state.ts'
import type { RecordedStaker, Stakers } from './stakers.ts'
import { registeredBy, type ValidatorSets } from './validator-sets.ts'

interface Deps {
  context: NodeContext
  stakers: Stakers
  sets: ValidatorSets
  state: PlatformState
}

function ownerText(owner: { threshold: number; locktime: number; addresses: string[] } | undefined): unknown {
  if (owner === undefined) return undefined
  const addresses = owner.addresses.map((address) => `P-${address}`)
  return { locktime: String(owner.locktime), threshold: String(owner.threshold), addresses }
}

function delegatorObject(staker: RecordedStaker): unknown {
  return {
    txID: staker.txID,
    startTime: String(staker.start),
    endTime: String(staker.end),
    weight: staker.weight,
    nodeID: staker.nodeID,
    rewardOwner: ownerText(staker.rewardsOwner),
    potentialReward: staker.potentialReward,
  }
}

/** A primary-network validator between recorded moments; uptime and accrued rewards are not known then. */
function validatorObject({ sets }: Deps, staker: RecordedStaker, delegators: readonly RecordedStaker[]): object {
  const weight = delegators.reduce((sum, delegator) => sum + BigInt(delegator.weight), 0n)
  return {
    txID: staker.txID,
    startTime: String(staker.start),
    endTime: String(staker.end),
    weight: staker.weight,
    nodeID: staker.nodeID,
    validationRewardOwner: ownerText(staker.validatorRewardsOwner),
    delegationRewardOwner: ownerText(staker.delegatorRewardsOwner),
    potentialReward: staker.potentialReward,
    accruedDelegateeReward: '0',
    delegationFee: ((staker.delegationShares ?? 0) / 10_000).toFixed(4),
    uptime: '100.0000',
    connected: true,
    signer: sets.signerOf(staker),
    delegatorCount: String(delegators.length),
    delegatorWeight: String(weight),
  }
}

function primaryValidators(deps: Deps, nodeIDs: readonly string[]): string {
  const { context, stakers, state } = deps
  const wanted = new Set(nodeIDs)
  // Without a truth about stakers only the end is known.
  if (stakers.all().length === 0) {
    const ofOne = wanted.size === 1
    const listed = ofOne ? state.primaryOneByOne.flatMap((one) => one.validators) : state.primary.validators
    return JSON.stringify({ validators: listed.filter(({ nodeID }) => wanted.size === 0 || wanted.has(nodeID)) })
  }
  const primary = stakers.current().filter((staker) => staker.subnetID === EMPTY_ID)
  const delegatorsOf = (nodeID: string): RecordedStaker[] =>
    primary.filter((staker) => staker.type.includes('Delegator') && staker.nodeID === nodeID)
  const atEnd = context.tips.height('P') === state.height
  const recorded = new Map(
    state.primaryOneByOne.flatMap((one) => one.validators).map((validator) => [validator.txID, validator]),
  )
  const validators = primary
    .filter((staker) => !staker.type.includes('Delegator'))
    .filter((staker) => wanted.size === 0 || wanted.has(staker.nodeID))
    .map((staker) => {
      const known = atEnd ? recorded.get(staker.txID) : undefined
      const all: { delegators?: unknown[] } = known ?? validatorObject(deps, staker, delegatorsOf(staker.nodeID))
      const { delegators, ...rest } = all
      if (wanted.size !== 1) return rest
      return { ...rest, delegators: delegators ?? delegatorsOf(staker.nodeID).map(delegatorObject) }
    })
  return JSON.stringify({ validators })
}

function subnetValidators(deps: Deps, subnetID: string, nodeIDs: readonly string[]): string {
  const wanted = (nodeID: string): boolean => nodeIDs.length === 0 || nodeIDs.includes(nodeID)
  const permissioned = deps.stakers.current().filter((staker) => staker.subnetID === subnetID)
  const recorded = deps.state.subnets.find((subnet) => subnet.id === subnetID)?.validators.validators ?? []
  if (deps.stakers.all().length === 0) {
    return JSON.stringify({ validators: recorded.filter(({ nodeID = '' }) => wanted(nodeID)) })
  }
  const l1 = recorded.filter(isL1Validator)
  const validators = [
    ...permissioned.map(({ txID, start, end, weight, nodeID }) => ({
      txID,
      startTime: String(start),
      endTime: String(end),
      weight,
      nodeID,
    })),
    ...l1.filter((validator) => registeredBy(deps.context, validator.validationID, deps.context.tips.height('P'))),
  ].filter((validator) => wanted(validator.nodeID))
  return JSON.stringify({ validators })
}

const MAX_UINT64 = (1n << 64n) - 1n

function heightArgument(args: Arguments, tip: number): bigint {
  if (args.raw('height') === '"proposed"') return BigInt(tip)
  const height = args.uint('height')
  // The largest number means the proposed height, which is only asked for by its name.
  if (height === MAX_UINT64) throw new BadArgumentsError()
  return height
}

function checkHeight(height: bigint, tip: number, what: string, where: string): void {
  if (height <= BigInt(tip)) return
  throw new MethodError(
    `failed to get validator ${what} at ${height}: failed to fetch validator set at unfinalized height${where}: current P-chain height (${tip}) < requested P-Chain height (${height})`,
  )
}

function getValidatorsAt({ context, sets }: Deps, args: Arguments): string {
  const tip = context.tips.height('P')
  const height = heightArgument(args, tip)
  const subnetID = args.id('subnetID')
  checkHeight(height, tip, 'set', ` with SubnetID = ${subnetID}`)
  const members = sets.at(subnetID, Number(height))
  if (members === undefined) throw new NotRecordedError(`no validator set of ${subnetID} at ${height}`)
  const entries = members.map(
    ({ nodeID, publicKey, weight }) => [nodeID, { publicKey, weight: String(weight) }] as const,
  )
  return JSON.stringify(Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1))))
}

/** Keys sort as points: the three flag bits of the compressed form do not count. */
function pointOrder(publicKey: string): string {
  const first = Number.parseInt(publicKey.slice(2, 4), 16) & 0x1f
  return first.toString(16).padStart(2, '0') + publicKey.slice(4)
}

function getAllValidatorsAt({ context, sets }: Deps, args: Arguments): string {
  const tip = context.tips.height('P')
  const height = heightArgument(args, tip)
  checkHeight(height, tip, 'sets', '')
  const validatorSets: Record<string, unknown> = {}
  for (const subnetID of sets.subnetsAt(Number(height)).sort()) {
    const members = sets.at(subnetID, Number(height))
    if (members === undefined) throw new NotRecordedError(`no validator set of ${subnetID} at ${height}`)
    const validators = members
      .flatMap(({ publicKey, weight, nodeID }) =>
        publicKey === null ? [] : [{ publicKey, weight: String(weight), nodeIDs: [nodeID] }],
      )
      .sort((a, b) => (pointOrder(a.publicKey) < pointOrder(b.publicKey) ? -1 : 1))
    const totalWeight = String(members.reduce((sum, member) => sum + member.weight, 0n))
    validatorSets[subnetID] = { validators, totalWeight }
  }
  return JSON.stringify({ validatorSets })
}

function getL1Validator(deps: Deps, args: Arguments): string {
  const validationID = args.id('validationID')
  for (const subnet of deps.state.subnets) {
    const found = subnet.validators.validators.filter(isL1Validator).find((one) => one.validationID === validationID)
    if (found !== undefined && registeredBy(deps.context, validationID, deps.context.tips.height('P'))) {
      return JSON.stringify({ ...found, subnetID: subnet.id, height: String(deps.context.tips.height('P')) })
    }
  }
  throw new MethodError(`fetching L1 validator "${validationID}" failed: not found`)
}

function sampleValidators({ context, sets }: Deps, args: Arguments): string {
  const size = Number(args.uint('size', 16))
  const subnetID = args.id('subnetID')
  const members = (sets.at(subnetID, context.tips.height('P')) ?? []).map((member) => member.nodeID)
  const first = members[0]
  if (size === 0) return '{"validators":[]}'
  if (first === undefined) throw new MethodError(`sampling ${subnetID} errored with missing validators`)
  // A node draws at random and with replacement; always the same draw keeps tests repeatable.
  const validators = Array.from({ length: size }, (_, index) => members[index % members.length] ?? first).sort()
  return JSON.stringify({ validators })
}

/** The methods of platform.* about who stakes and validates. */
export function platformStakerMethods(deps: Deps): Record<string, GorillaMethod> {
  return {
    getCurrentValidators(args) {
      const subnetID = args.id('subnetID')
      const nodeIDs = args.nodeIDs('nodeIDs')
      return subnetID === EMPTY_ID ? primaryValidators(deps, nodeIDs) : subnetValidators(deps, subnetID, nodeIDs)
    },
    getValidatorsAt: (args) => getValidatorsAt(deps, args),
    getAllValidatorsAt: (args) => getAllValidatorsAt(deps, args),
    getL1Validator: (args) => getL1Validator(deps, args),
    sampleValidators: (args) => sampleValidators(deps, args),
    getTotalStake(args) {
      const subnetID = args.id('subnetID')
      const height = deps.context.tips.height('P')
      const members = deps.sets.at(subnetID, height)
      const { totalStake, height: end } = deps.state
      if (members === undefined && subnetID === EMPTY_ID && totalStake !== undefined && height === Number(end))
        return JSON.stringify(totalStake)
      if (members === undefined) throw new NotRecordedError('no validator set at this height')
      const stake = String(members.reduce((sum, member) => sum + member.weight, 0n))
      return JSON.stringify({ stake, weight: stake })
    },
  }
}
