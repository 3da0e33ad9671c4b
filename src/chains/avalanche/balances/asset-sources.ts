import type { ChainLetter } from '../../../facts/primary-network.ts'
import type { CallOptions } from '../../../upstream/types.ts'
import type { AvmBalances, BalanceSource, CorethBalances, Outcome, WalletAccount } from '../../capabilities.ts'
import { accountFailure } from '../account-failure.ts'
import type { KeyScanner } from '../keys/key-scanner.ts'
import type { AvalancheNetwork, NetworkFacts } from '../network.ts'
import { type AssetRules, assetsIn, avmBalances, corethBalances } from './asset-classes.ts'
import { avaxDescription, avaxToken } from './native-token.ts'
import { type AvalancheSourceDeps, wallClock } from './pvm-source.ts'
import { summarizeEach } from './summaries.ts'
import { createWalletReader, type WalletHoldings } from './wallet-reader.ts'

/** Current balances on X: UTXOs and both shared memories, every asset. */
export function createAvmBalanceSource(
  deps: AvalancheSourceDeps & { keys: KeyScanner },
): BalanceSource<WalletAccount, AvmBalances> {
  const { network, caip2Id, keys, now = wallClock } = deps
  const readBalances = createWalletReader<AvmBalances>({
    network,
    chain: 'X',
    keys,
    async summarize(wallets, facts, call) {
      const rules = await assetRules(network, wallets, facts, now, call)
      return summarizeEach(wallets, ({ holdings }) => outcomeOf(() => avmBalances(holdings, rules)))
    },
  })
  return {
    caip2Id,
    networkType: 'avm',
    get native() {
      return avaxToken(network)
    },
    readBalances,
  }
}

/** What waits for import in C's shared memory. Addresses are the bech32 form of the EVM keys' public key hashes. */
export function createCorethBalanceSource(deps: AvalancheSourceDeps): BalanceSource<WalletAccount, CorethBalances> {
  const { network, caip2Id, now = wallClock } = deps
  const readBalances = createWalletReader<CorethBalances>({
    network,
    chain: 'C',
    async summarize(wallets, facts, call) {
      const rules = await assetRules(network, wallets, facts, now, call)
      return summarizeEach(wallets, ({ holdings }) => outcomeOf(() => corethBalances(holdings, rules)))
    },
  })
  return {
    caip2Id,
    networkType: 'coreth',
    get native() {
      return avaxToken(network)
    },
    readBalances,
  }
}

function outcomeOf<B>(summarize: () => B): Outcome<B> {
  try {
    return { ok: true, value: summarize() }
  } catch (error) {
    return { ok: false, error: accountFailure(error) }
  }
}

async function assetRules(
  network: AvalancheNetwork,
  wallets: readonly WalletHoldings[],
  facts: NetworkFacts,
  now: () => number,
  call: CallOptions,
): Promise<AssetRules> {
  const ids = new Set(wallets.flatMap(({ holdings }) => [...assetsIn(holdings)]))
  ids.delete(facts.avaxAssetHex)
  const assets = await network.assets.describe(ids, call)
  assets.set(facts.avaxAssetHex, avaxDescription(network, facts))
  return {
    avaxAssetId: facts.avaxAssetHex,
    now: BigInt(now()),
    assets,
    blockchainIdOf: (source: ChainLetter) => facts.blockchainIds[source],
  }
}
