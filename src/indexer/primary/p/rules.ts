import type { RewardRules } from './reward.ts'
import type { ValidatorFeeRules } from './validator-fee.ts'

/** What of a network's settings decides about its state on P. Times in unix seconds. */
export interface PRules extends StakingRules {
  avaxAssetId: string
  validatorFee: ValidatorFeeRules
  upgrades: UpgradeTimes
}

/** From when on a rule holds; what a network does not have yet is far away. */
export interface UpgradeTimes {
  cortina: bigint
  durango: bigint
  etna: bigint
  helicon: bigint
}

/** What nodes are started with and never tell. */
export interface StakingRules {
  reward: RewardRules
  /** nAVAX; bounds what a validator that renews itself compounds. */
  maxValidatorStake: bigint
}

const AVAX = 1_000_000_000n

/** The primary network's on every public network, and on others that are not told otherwise. */
export const PRIMARY_REWARD: RewardRules = {
  maxRate: 120_000n,
  minRate: 100_000n,
  mintingSeconds: 365n * 86_400n,
  supplyCap: 720_000_000n * AVAX,
}

export const MAX_VALIDATOR_STAKE = 3_000_000n * AVAX

/** Where the node does not tell: the settings of mainnet, of fuji, and of every other network. */
export function knownValidatorFee(networkId: number): ValidatorFeeRules {
  const excessConversion = networkId === 1 ? 1_246_488_515n : networkId === 5 ? 51_937_021n : 865_617n
  return { target: 10_000n, minPrice: networkId === 1 || networkId === 5 ? 512n : 1n, excessConversion }
}
