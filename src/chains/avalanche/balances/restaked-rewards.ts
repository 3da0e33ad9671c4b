import type { FirnError } from '../../../errors.ts'
import { inTurns } from '../../../lib/waiting/in-turns.ts'
import { mapBounded } from '../../../lib/waiting/map-bounded.ts'
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
export type RestakedIndex = ReadonlyMap<string, readonly Restaked[]>

const CONCURRENT = 16
/** Validators whose stakes are taken apart in one turn. */
const PER_TURN = 500
/**
 * With more self-renewing validators than this, none is read and the optional amount is left out. Several times the
 * validators of any network: each costs a call once, and is kept.
 */
export const MOST_RENEWING = 5_000

/** If no node tells of its upgrades, the validators show whether there is this one. */
function untold(error: unknown): number {
  accountFailure(error)
  return 0
}

/** The rewards of all self-renewing validators, or why they are unknown, with those that were known last. */
export interface RestakedReading {
  restaked: RestakedIndex | undefined
  error?: FirnError
  last: RestakedIndex
}

export const NOTHING_RESTAKED: RestakedIndex = new Map()

/**
 * Compounded rewards of all self-renewing validators (ACP-236): no UTXO holds them before the validator leaves. The
 * amount is optional in the answer, and leaving it out does not mean zero; but a wallet that had some must not seem to
 * have lost them.
 */
export function createRestakedReader(network: AvalancheNetwork, stakers: StakerDirectory) {
  let last = NOTHING_RESTAKED
  /** A list of validators is shared for a minute by all readings: so is what is made of it. */
  let made: { of: readonly Validator[]; index: RestakedIndex } | undefined

  const readAll = async (now: bigint, call: CallOptions): Promise<RestakedIndex | undefined> => {
    const from = await network.autoRenewalFrom(call).catch(untold)
    if (from === undefined || now < BigInt(from)) return NOTHING_RESTAKED
    const validators = await stakers.validators(call)
    if (made?.of === validators) return made.index
    const renewing = validators.filter((validator) => validator.autoRenewed)
    if (renewing.length > MOST_RENEWING) return undefined
    const stakes = await mapBounded(
      renewing,
      CONCURRENT,
      async ({ txId }) => (await stakers.stakingTx(txId, call)).stake,
    )
    const index = await indexOf(renewing, stakes)
    made = { of: validators, index }
    return index
  }

  /** @param now unix seconds */
  return async (now: bigint, call: CallOptions): Promise<RestakedReading> => {
    try {
      const restaked = await readAll(now, call)
      last = restaked ?? NOTHING_RESTAKED
      return { restaked, last }
    } catch (error) {
      return { restaked: undefined, error: accountFailure(error), last }
    }
  }
}

async function indexOf(
  renewing: readonly Validator[],
  stakes: readonly (readonly StakedOutput[])[],
): Promise<RestakedIndex> {
  const index = new Map<string, Restaked[]>()
  await inTurns(renewing.entries(), PER_TURN, ([at, { weight }]) => {
    const stake = stakes[at] ?? []
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
 * A wallet's part: the rewards of every validator in which it owns a stake now. nAVAX. The list of validators may be
 * out of date: a validator that has left since has paid out its rewards, which must not count twice.
 */
export function restakedOf(index: RestakedIndex, staked: readonly StakedCoin[]): bigint {
  if (index.size === 0) return 0n
  const found = new Set(staked.flatMap((coin) => index.get(contentKey(coin)) ?? []))
  let sum = 0n
  for (const { rewards } of found) sum += rewards
  return sum
}
