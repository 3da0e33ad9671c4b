import { FirnError } from '../../../errors.ts'
import type { CallOptions } from '../../../upstream/types.ts'
import type { BalanceSource, Outcome, PvmBalances, WalletAccount } from '../../capabilities.ts'
import { accountFailure } from '../account-failure.ts'
import type { KeyScanner } from '../keys/key-scanner.ts'
import type { AvalancheNetwork, NetworkFacts } from '../network.ts'
import { createStakerDirectory, type StakerDirectory } from '../node/stakers.ts'
import { avaxToken } from './native-token.ts'
import { pvmBalances } from './pvm-classes.ts'
import { createRestakedReader, NOTHING_RESTAKED, restakedOf } from './restaked-rewards.ts'
import { lockedNow, stillLocked } from './stake-ends.ts'
import { summarizeEach } from './summaries.ts'
import { createWalletReader, type WalletHoldings, type WalletReaderDeps } from './wallet-reader.ts'

export interface AvalancheSourceDeps {
  network: AvalancheNetwork
  /** CAIP-2 identifier under which the chain is served; see references.ts. */
  caip2Id: string
  /** Unix seconds; decides what is locked. */
  now?: () => number
}

export interface PvmSourceDeps extends AvalancheSourceDeps {
  keys: KeyScanner
  /** Milliseconds; for the age of cached lists. */
  clock?: () => number
}

/** Wall clock in unix seconds; the node judges locks by the wall clock too. */
export const wallClock = () => Math.floor(Date.now() / 1000)

/** Current balances on P: UTXOs, both shared memories and stakes, in nAVAX of AVAX only. */
export function createPvmBalanceSource(deps: PvmSourceDeps): BalanceSource<WalletAccount, PvmBalances> {
  const { network, caip2Id, keys, now = wallClock, clock } = deps
  const stakers = createStakerDirectory(network.pool, now, clock)
  const readRestaked = createRestakedReader(network, stakers)
  const summarize: WalletReaderDeps<PvmBalances>['summarize'] = (wallets, facts, call) =>
    summarizePvm(wallets, { readRestaked, stakers, facts, now: BigInt(now()), call })
  return {
    caip2Id,
    networkType: 'pvm',
    get native() {
      return avaxToken(network)
    },
    readBalances: createWalletReader({ network, chain: 'P', keys, summarize }),
  }
}

interface SummaryContext {
  readRestaked: ReturnType<typeof createRestakedReader>
  stakers: StakerDirectory
  facts: NetworkFacts
  now: bigint
  call: CallOptions
}

async function summarizePvm(
  wallets: readonly WalletHoldings[],
  { readRestaked, stakers, facts, now, call }: SummaryContext,
): Promise<Outcome<PvmBalances>[]> {
  const avaxAssetId = facts.avaxAssetHex
  const stakes = wallets.map(({ holdings }) => holdings.staked.filter((coin) => coin.assetId === avaxAssetId))
  const staking = stakes.some((coins) => coins.length > 0)
  const [locked, reading] = await Promise.all([
    stillLocked(stakes, now, stakers, call).catch(accountFailure),
    staking ? readRestaked(now, call) : NOTHING_RESTAKED,
  ])
  return summarizeEach(wallets, ({ wallet, holdings }, index): Outcome<PvmBalances> => {
    const unsure = locked instanceof FirnError && stakes[index]?.some((coin) => lockedNow(coin, now))
    if (unsure) return { ok: false, error: locked }
    const restakedRewards = restakedOf(reading, stakes[index] ?? [])
    if (restakedRewards instanceof FirnError) return { ok: false, error: restakedRewards }
    const value = pvmBalances(holdings, {
      avaxAssetId,
      now,
      filterOutDust: wallet.filterOutDust,
      locked: locked instanceof FirnError ? new Set() : locked,
      restakedRewards,
      blockchainIdOf: (source) => facts.blockchainIds[source],
    })
    return { ok: true, value }
  })
}
