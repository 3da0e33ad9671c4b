import type { EvmChainConfig } from '../schema.ts'

type Upstream = EvmChainConfig['upstreams'][number]

/** Hosts whose free plans refuse larger JSON-RPC batches; asking for more costs a failed round trip each time. */
const BATCH_LIMITS: readonly [RegExp, number][] = [
  [/\.drpc\.org$/, 3],
  [/^mainnet\.(base\.org|optimism\.io)$/, 10],
  [/\.1rpc\.io$/, 3],
]

/** Public servers share their limits with everybody; staying well below keeps them answering. */
const REQUESTS_PER_SECOND = 15

/**
 * Keyless public servers in order of preference: the first is asked first, the others stand by. `priority` grows in
 * steps so that an operator's own server (priority 0 by default) can be put before all of them.
 */
export function publicUpstreams(...urls: string[]): Upstream[] {
  return urls.map((url, rank) => {
    const host = new URL(url).hostname
    const batchItems = BATCH_LIMITS.find(([pattern]) => pattern.test(host))?.[1]
    return {
      url,
      requestsPerSecond: REQUESTS_PER_SECOND,
      priority: rank < 3 ? 0 : 1,
      ...(batchItems === undefined ? {} : { batchItems }),
    }
  })
}

/** Address of Multicall3 on every chain where its own key deployed it. */
export const MULTICALL3 = '0xcA11bde05977b3631167028862bE2a173976CA11'

/** Curated list over many chains; entries of other chains are skipped by the reader. */
export const UNISWAP_LIST = 'https://tokens.uniswap.org'

export const coingeckoList = (platform: string) => `https://tokens.coingecko.com/${platform}/all.json`
