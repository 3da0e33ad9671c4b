import type { Config } from '../../config/index.ts'
import type { StakingRules } from '../../indexer/primary/index.ts'

type StakingSetting = NonNullable<NonNullable<Config['chains']['avalanche']['mainnet']>['staking']>

/** The staking rules that a network's nodes were started with, for the indexer. Amounts in nAVAX, times in seconds. */
export const stakingRules = (setting: StakingSetting): StakingRules => ({
  reward: {
    maxRate: BigInt(setting.maxConsumptionRate),
    minRate: BigInt(setting.minConsumptionRate),
    mintingSeconds: BigInt(setting.mintingPeriodSeconds),
    supplyCap: BigInt(setting.supplyCap),
  },
  maxValidatorStake: BigInt(setting.maxValidatorStake),
})
