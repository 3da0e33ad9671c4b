import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '../config/index.ts'
import { createPriceBook, createTokenLists, createVerdicts, type PriceBook } from '../market/index.ts'
import type { SharedValues } from '../sharing/index.ts'
import { createUpstreamPool, type UpstreamPoolDeps } from '../upstream/index.ts'

interface MarketDeps {
  logger: Logger
  pool: Omit<UpstreamPoolDeps, 'headProbe'>
  /** What other processes have read, if there are several. */
  shared?: SharedValues
}

/** Result of `createMarket`. */
export type Market = ReturnType<typeof createMarket>

/** Prices, token lists and verdicts as configured; `start` loads files from disk, the rest in the background. */
export function createMarket(config: Config, deps: MarketDeps) {
  const { logger } = deps
  const cacheDir = join(config.dataDir, 'market')
  const lists = createTokenLists({
    sources: tokenListSources(config),
    defaultSources: config.market.defaultTokenLists,
    ...(config.market.tokenListDir === undefined ? {} : { dir: config.market.tokenListDir }),
    cacheDir: join(cacheDir, 'token-lists'),
    refreshMs: config.market.tokenListRefreshMs,
    log: logger,
  })
  const { verdictFile } = config.market
  const verdicts = createVerdicts({ lists, log: logger, ...(verdictFile === undefined ? {} : { file: verdictFile }) })
  const { prices, close } = createPrices(config, join(cacheDir, 'coins.json'), deps)
  return {
    lists,
    verdicts,
    prices,
    /** Resolves when everything that needs no network is in force. */
    async start(): Promise<void> {
      lists.start()
      // A missing file is logged now, not when the first prices are missing.
      const read = config.market.prices.provider === 'file' ? prices.quote('usd', [], []) : undefined
      await Promise.all([lists.restored(), verdicts.load(), read])
    },
    /** Adds the lists of chains that a later configuration names and this one does not. */
    addLists: (later: Config): Promise<void> => lists.add(tokenListSources(later)),
    async close(): Promise<void> {
      prices.close()
      await Promise.all([lists.close(), close()])
    },
  }
}

function createPrices(
  config: Config,
  coinListFile: string,
  { logger, pool, shared }: MarketDeps,
): { prices: PriceBook; close: () => Promise<void> } {
  const { provider, file, url, apiKey, cacheMs, maxStaleMs, timeoutMs } = config.market.prices
  const nothing = async (): Promise<void> => undefined
  if (provider === 'none') return { prices: createPriceBook({ provider }), close: nothing }
  if (provider === 'file')
    return { prices: createPriceBook({ provider, file: file ?? '', log: logger }), close: nothing }
  const provided = createUpstreamPool('prices', [{ url }], config.upstream, pool)
  const prices = createPriceBook({
    provider,
    pool: provided,
    url,
    ...(apiKey === undefined ? {} : { apiKey }),
    platforms: pricePlatforms(config),
    natives: nativeKeys(config),
    coinListFile,
    cacheMs,
    maxStaleMs,
    timeoutMs,
    log: logger,
    ...(shared ? { shared } : {}),
  })
  return { prices, close: () => provided.close() }
}

/** All configured coins: one call of the provider refreshes them all. */
function nativeKeys(config: Config): { internalId: string; priceId: string }[] {
  const { evm, bitcoin, solana, avalanche } = config.chains
  const families = [evm, bitcoin, solana, avalanche]
  const natives = families.flatMap((chains) => Object.values(chains)).map((chain) => chain?.native)
  const known = new Map(
    natives.flatMap((native) =>
      native?.priceId === undefined
        ? []
        : [[native.priceId, native.internalId ?? `NATIVE-${native.symbol.toLowerCase()}`] as const],
    ),
  )
  return [...known].map(([priceId, internalId]) => ({ priceId, internalId }))
}

function pricePlatforms(config: Config): Record<string, string> {
  const platforms: Record<string, string> = {}
  const add = (caip2Id: string, platform: string | undefined): void => {
    if (platform !== undefined) platforms[caip2Id] = platform
  }
  for (const [id, chain] of Object.entries(config.chains.evm)) add(`eip155:${id}`, chain.pricePlatform)
  for (const [id, chain] of Object.entries(config.chains.solana)) add(`solana:${id}`, chain.pricePlatform)
  return platforms
}

const tokenListSources = (config: Config): Record<string, readonly string[]> =>
  Object.fromEntries([
    ...Object.entries(config.chains.evm).map(([id, chain]) => [`eip155:${id}`, chain.tokenLists]),
    ...Object.entries(config.chains.solana).map(([id, chain]) => [`solana:${id}`, chain.tokenLists]),
  ])
