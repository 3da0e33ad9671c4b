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

const CONCURRENT = 8
/** With more self-renewing validators than this, none is read and the optional amount is left out. */
const MAX_VALIDATORS = 1_000

/**
 * Compounded rewards of all self-renewing validators (ACP-236): no UTXO holds them before the validator leaves.
 * Undefined when they cannot be read; the amount is optional in the answer, and leaving it out does not mean zero.
 * @param now unix seconds
 */
export async function readRestaked(
  network: AvalancheNetwork,
  stakers: StakerDirectory,
  now: bigint,
  call: CallOptions,
): Promise<readonly Restaked[] | undefined> {
  try {
    const from = await network.autoRenewalFrom(call)
    if (from === undefined || now < BigInt(from)) return []
    const renewing = (await stakers.validators(call)).filter((validator) => validator.autoRenewed)
    if (renewing.length > MAX_VALIDATORS) return undefined
    return await mapBounded(renewing, CONCURRENT, async ({ txId, weight }) => {
      const { stake } = await stakers.stakingTx(txId, call)
      const own = stake.reduce((sum, output) => sum + output.amount, 0n)
      return { rewards: weight > own ? weight - own : 0n, stake: stake.map(contentKey) }
    })
  } catch (error) {
    accountFailure(error)
    return undefined
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
