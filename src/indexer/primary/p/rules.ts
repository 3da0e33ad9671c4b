import type { RewardRules } from './reward.ts'
import type { ValidatorFeeRules } from './validator-fee.ts'

/** A network's settings that affect its state on P. Times in unix seconds. */
export interface PRules extends StakingRules {
  avaxAssetId: string
  validatorFee: ValidatorFeeRules
  upgrades: UpgradeTimes
}

/** When each rule takes effect; upgrades that a network does not have yet are far in the future. */
export interface UpgradeTimes {
  cortina: bigint
  durango: bigint
  etna: bigint
  helicon: bigint
}

/** Start settings of nodes that they do not report. */
export interface StakingRules {
  reward: RewardRules
  /** nAVAX; limits what a validator that renews itself compounds. */
  maxValidatorStake: bigint
}

const AVAX = 1_000_000_000n

/** Rewards of the primary network on every public network, and on others unless configured. */
export const PRIMARY_REWARD: RewardRules = {
  maxRate: 120_000n,
  minRate: 100_000n,
  mintingSeconds: 365n * 86_400n,
  supplyCap: 720_000_000n * AVAX,
}

export const MAX_VALIDATOR_STAKE = 3_000_000n * AVAX

/** Used if the node does not report them: the settings of mainnet, of fuji, and of every other network. */
export function knownValidatorFee(networkId: number): ValidatorFeeRules {
  const excessConversion = networkId === 1 ? 1_246_488_515n : networkId === 5 ? 51_937_021n : 865_617n
  return { target: 10_000n, minPrice: isPublicNetwork(networkId) ? 512n : 1n, excessConversion }
}

/** Mainnet or fuji, whose nodes take no settings of their own for such rules. */
export const isPublicNetwork = (networkId: number): boolean => networkId === 1 || networkId === 5
