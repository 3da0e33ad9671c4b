import type { FirnError } from '../../../errors.ts'
import { mapBounded } from '../../../lib/waiting/map-bounded.ts'
import type { CallOptions } from '../../../upstream/types.ts'
import { accountFailure } from '../account-failure.ts'
import type { AvalancheNetwork } from '../network.ts'
import type { StakerDirectory } from '../node/stakers.ts'
import type { StakedCoin } from './coins.ts'
import { contentKey } from './stake-search.ts'

/** What self-renewing validators have added to their stake, by staking transaction. */
export interface Restaked {
  /** nAVAX; the validator's weight without its own stake. */
  rewards: bigint
  /** `contentKey` of each of its staked outputs. */
  stake: readonly string[]
}

const CONCURRENT = 16
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
  restaked: readonly Restaked[] | undefined
  error?: FirnError
  last: readonly Restaked[]
}

/**
 * Compounded rewards of all self-renewing validators (ACP-236): no UTXO holds them before the validator leaves. The
 * amount is optional in the answer, and leaving it out does not mean zero; but a wallet that had some must not seem to
 * have lost them.
 */
export function createRestakedReader(network: AvalancheNetwork, stakers: StakerDirectory) {
  let last: readonly Restaked[] = []

  const readAll = async (now: bigint, call: CallOptions): Promise<readonly Restaked[] | undefined> => {
    const from = await network.autoRenewalFrom(call).catch(untold)
    if (from === undefined || now < BigInt(from)) return []
    const renewing = (await stakers.validators(call)).filter((validator) => validator.autoRenewed)
    if (renewing.length > MOST_RENEWING) return undefined
    return mapBounded(renewing, CONCURRENT, async ({ txId, weight }) => {
      const { stake } = await stakers.stakingTx(txId, call)
      const own = stake.reduce((sum, output) => sum + output.amount, 0n)
      return { rewards: weight > own ? weight - own : 0n, stake: stake.map(contentKey) }
    })
  }

  /** @param now unix seconds */
  return async (now: bigint, call: CallOptions): Promise<RestakedReading> => {
    try {
      const restaked = await readAll(now, call)
      last = restaked ?? []
      return { restaked, last }
    } catch (error) {
      return { restaked: undefined, error: accountFailure(error), last }
    }
  }
}

/**
 * A wallet's part: the rewards of every validator in which it owns a stake now. nAVAX. The list of validators may be
 * out of date: a validator that has left since has paid out its rewards, which must not count twice.
 */
export function restakedOf(restaked: readonly Restaked[], staked: readonly StakedCoin[]): bigint {
  if (staked.length === 0) return 0n
  const own = new Set(staked.map(contentKey))
  return restaked
    .filter(({ stake }) => stake.some((key) => own.has(key)))
    .reduce((sum, { rewards }) => sum + rewards, 0n)
}
