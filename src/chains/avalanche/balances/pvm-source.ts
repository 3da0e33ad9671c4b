import { FirnError } from '../../../errors.ts'
import type { BalanceSource, Outcome, PvmBalances, WalletAccount } from '../../capabilities.ts'
import { accountFailure } from '../account-failure.ts'
import type { KeyScanner } from '../keys/key-scanner.ts'
import type { AvalancheNetwork } from '../network.ts'
import type { PlatformChain } from '../node/chains.ts'
import { createStakerDirectory } from '../node/stakers.ts'
import { avaxToken } from './native-token.ts'
import { pvmBalances } from './pvm-classes.ts'
import { readRestaked, restakedOf } from './restaked-rewards.ts'
import { lockedNow, stillLocked } from './stake-ends.ts'
import { createWalletReader } from './wallet-reader.ts'

export interface AvalancheSourceDeps {
  network: AvalancheNetwork
  /** CAIP-2 identifier under which the chain is served; see references.ts. */
  caip2Id: string
  /** Unix seconds; decides what is locked. */
  now?: () => number
}

/** Wall clock in unix seconds, as the node judges locks too. */
export const wallClock = () => Math.floor(Date.now() / 1000)

/** Current balances on P: UTXOs, both shared memories and stakes, in nAVAX of AVAX only. */
export function createPvmBalanceSource(
  deps: AvalancheSourceDeps & { keys: KeyScanner },
): BalanceSource<WalletAccount, PvmBalances> {
  const { network, caip2Id, keys, now = wallClock } = deps
  const stakers = createStakerDirectory(network.pool)
  const readBalances = createWalletReader<PvmBalances>({
    network,
    chain: 'P',
    keys,
    async summarize(wallets, facts, call) {
      const time = BigInt(now())
      const ofAvax = wallets.map(({ holdings }) =>
        holdings.staked.filter((coin) => coin.assetId === facts.avaxAssetHex),
      )
      const staking = ofAvax.some((coins) => coins.length > 0)
      const [locked, restaked] = await Promise.all([
        stillLocked(ofAvax, time, stakers, call).catch(accountFailure),
        staking ? readRestaked(network, stakers, time, call) : [],
      ])
      return wallets.map(({ wallet, holdings, owned }, index): Outcome<PvmBalances> => {
        const unsure = locked instanceof FirnError && ofAvax[index]?.some((coin) => lockedNow(coin, time))
        if (unsure) return { ok: false, error: locked }
        const value = pvmBalances(holdings, {
          avaxAssetId: facts.avaxAssetHex,
          now: time,
          filterOutDust: wallet.filterOutDust,
          locked: locked instanceof FirnError ? new Set() : locked,
          restakedRewards: restaked && restakedOf(restaked, (owner) => owned.has(owner)),
          blockchainIdOf: (source: PlatformChain) => facts.blockchainIds[source],
        })
        return { ok: true, value }
      })
    },
  })
  return {
    caip2Id,
    networkType: 'pvm',
    get native() {
      return avaxToken(network)
    },
    readBalances,
  }
}
