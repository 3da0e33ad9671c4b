import type { ChainLetter } from '../../../facts/primary-network.ts'
import type { CallOptions } from '../../../upstream/types.ts'
import type {
  AvmBalances,
  BalanceSource,
  CorethBalances,
  NetworkType,
  Outcome,
  WalletAccount,
} from '../../capabilities.ts'
import { accountFailure } from '../account-failure.ts'
import type { KeyScanner } from '../keys/key-scanner.ts'
import type { AvalancheNetwork, NetworkFacts } from '../network.ts'
import { type AssetRules, assetsIn, avmBalances, corethBalances } from './asset-classes.ts'
import type { Holdings } from './coins.ts'
import { avaxDescription, avaxToken } from './native-token.ts'
import { type AvalancheSourceDeps, wallClock } from './pvm-source.ts'
import { summarizeEach } from './summaries.ts'
import { createWalletReader, type WalletHoldings, type WalletReaderDeps } from './wallet-reader.ts'

/** Current balances on X: UTXOs and both shared memories, every asset. */
export const createAvmBalanceSource = (
  deps: AvalancheSourceDeps & { keys: KeyScanner },
): BalanceSource<WalletAccount, AvmBalances> =>
  createAssetSource({ ...deps, chain: 'X', networkType: 'avm' }, avmBalances)

/** What waits for import in C's shared memory. Addresses are the bech32 form of the EVM keys' public key hashes. */
export const createCorethBalanceSource = (deps: AvalancheSourceDeps): BalanceSource<WalletAccount, CorethBalances> =>
  createAssetSource({ ...deps, chain: 'C', networkType: 'coreth' }, corethBalances)

interface AssetSourceDeps extends AvalancheSourceDeps, Pick<WalletReaderDeps<unknown>, 'chain' | 'keys'> {
  networkType: NetworkType
}

function createAssetSource<B>(
  { network, caip2Id, networkType, chain, keys, now = wallClock }: AssetSourceDeps,
  balancesOf: (holdings: Holdings, rules: AssetRules) => B,
): BalanceSource<WalletAccount, B> {
  const summarize: WalletReaderDeps<B>['summarize'] = async (wallets, facts, call) => {
    const rules = await assetRules(network, wallets, facts, now, call)
    return summarizeEach(wallets, ({ holdings }) => outcomeOf(() => balancesOf(holdings, rules)))
  }
  return {
    caip2Id,
    networkType,
    get native() {
      return avaxToken(network)
    },
    readBalances: createWalletReader({ network, chain, keys, summarize }),
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
