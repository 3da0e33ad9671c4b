import { type FirnError, OverloadedError } from '../../../errors.ts'
import { inTurns } from '../../../lib/waiting/in-turns.ts'
import { mapBounded } from '../../../lib/waiting/map-bounded.ts'
import { lacksMethod } from '../../../upstream/json-rpc/lacking-method.ts'
import type { CallOptions } from '../../../upstream/types.ts'
import { accountFailure } from '../account-failure.ts'
import type { AvalancheNetwork } from '../network.ts'
import type { StakerDirectory } from '../node/stakers.ts'
import type { StakedOutput } from '../node/staking-tx.ts'
import type { Validator } from '../node/validators.ts'
import type { StakedCoin } from './coins.ts'
import { contentKey } from './stake-search.ts'

/** nAVAX that one self-renewing validator has added to its stake: its weight without its own stake. */
interface Restaked {
  rewards: bigint
}

/** What self-renewing validators have added, by `contentKey` of each output of their stakes. */
type RestakedIndex = ReadonlyMap<string, readonly Restaked[]>

const CONCURRENT = 16
/** After so many failed calls no other stake is asked for in this reading: the nodes are away. */
const MOST_FAILED = 16
/** Validators whose stakes are taken apart in one turn. */
const PER_TURN = 500
/**
 * With more self-renewing validators than this, no stake is asked for. Several times the validators of any network:
 * each costs a call once, and is kept.
 */
export const MOST_RENEWING = 5_000

/** If no node tells of its upgrades, the validators show whether there is this one. */
function untold(error: unknown): number {
  accountFailure(error)
  return 0
}

/** The rewards of those self-renewing validators whose stakes are known, and what bounds the others. */
export interface RestakedReading {
  restaked: RestakedIndex
  /** Left out when all are known. */
  unread?: {
    /** Weight of the heaviest of the others, nAVAX: no output of their stakes is larger. Undefined: nobody knows. */
    heaviest: bigint | undefined
    /** Left out where every gateway hides the method: it will not be told later either. */
    error?: FirnError
  }
}

export const NOTHING_RESTAKED: RestakedReading = { restaked: new Map() }

/** Compounded rewards of all self-renewing validators (ACP-236): no UTXO holds them before the validator leaves. */
export function createRestakedReader(network: AvalancheNetwork, stakers: StakerDirectory) {
  /** A list of validators is shared for a minute by all readings: so is what is made of it. */
  let made: { of: readonly Validator[]; reading: RestakedReading } | undefined
  /** A node has told of validators: that those left hide the method is a passing failure, and rewards would vanish. */
  let wereTold = false

  const readAll = async (now: bigint, call: CallOptions): Promise<RestakedReading> => {
    const from = await network.autoRenewalFrom(call).catch(untold)
    if (from === undefined || now < BigInt(from)) return NOTHING_RESTAKED
    const validators = await stakers.validators(call)
    wereTold = true
    if (made?.of === validators) return made.reading
    const reading = await readingOf(
      validators.filter(({ autoRenewed }) => autoRenewed),
      stakers,
      call,
    )
    if (!reading.unread) made = { of: validators, reading }
    return reading
  }

  /** @param now unix seconds */
  return async (now: bigint, call: CallOptions): Promise<RestakedReading> => {
    try {
      return await readAll(now, call)
    } catch (thrown) {
      return { ...NOTHING_RESTAKED, unread: { heaviest: undefined, ...unlessHidden(accountFailure(thrown), wereTold) } }
    }
  }
}

async function readingOf(
  renewing: readonly Validator[],
  stakers: StakerDirectory,
  call: CallOptions,
): Promise<RestakedReading> {
  if (renewing.length > MOST_RENEWING) {
    const error = new OverloadedError(`${renewing.length} validators renew themselves, over ${MOST_RENEWING}`)
    return { ...NOTHING_RESTAKED, unread: { heaviest: heaviestOf(renewing), error } }
  }
  const unread: Validator[] = []
  let failed: FirnError | undefined
  const stakes = await mapBounded(renewing, CONCURRENT, async (validator) => {
    try {
      if (!failed || unread.length < MOST_FAILED || stakers.hasStakingTx(validator.txId))
        return (await stakers.stakingTx(validator.txId, call)).stake
    } catch (error) {
      const failure = accountFailure(error)
      if (!failed || lacksMethod(failed)) failed = failure
    }
    unread.push(validator)
    return undefined
  })
  const restaked = await indexOf(renewing, stakes)
  if (!failed) return { restaked }
  const wereTold = unread.length < renewing.length
  return { restaked, unread: { heaviest: heaviestOf(unread), ...unlessHidden(failed, wereTold) } }
}

/** @param wereTold whether a node has told of others */
const unlessHidden = (error: FirnError, wereTold: boolean): { error?: FirnError } =>
  lacksMethod(error) && !wereTold ? {} : { error }

function heaviestOf(validators: readonly Validator[]): bigint {
  let most = 0n
  for (const { weight } of validators) if (weight > most) most = weight
  return most
}

async function indexOf(
  renewing: readonly Validator[],
  stakes: readonly (readonly StakedOutput[] | undefined)[],
): Promise<RestakedIndex> {
  const index = new Map<string, Restaked[]>()
  await inTurns(renewing.entries(), PER_TURN, ([at, { weight }]) => {
    const stake = stakes[at]
    if (!stake) return
    const own = stake.reduce((sum, { amount }) => sum + amount, 0n)
    if (weight <= own) return
    const restaked = { rewards: weight - own }
    for (const key of new Set(stake.map(contentKey))) {
      const others = index.get(key)
      if (others) others.push(restaked)
      else index.set(key, [restaked])
    }
  })
  return index
}

/**
 * A wallet's part: the rewards of every validator in which it owns a stake now, nAVAX. If it may own a stake of a
 * validator whose stake is unknown it is an error, since its balance would seem smaller than it is; and undefined where
 * no node ever tells of them, because its gateway hides the method: stakers would have no balance at all. The list of
 * validators may be out of date: a validator that has left since has paid out its rewards, which must not count twice.
 */
export function restakedOf(
  { restaked, unread }: RestakedReading,
  staked: readonly StakedCoin[],
): bigint | undefined | FirnError {
  if (unread && staked.some(({ amount }) => unread.heaviest === undefined || amount <= unread.heaviest))
    return unread.error
  if (restaked.size === 0) return 0n
  const found = new Set(staked.flatMap((coin) => restaked.get(contentKey(coin)) ?? []))
  let sum = 0n
  for (const { rewards } of found) sum += rewards
  return sum
}
