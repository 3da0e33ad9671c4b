/**
 * The registry of chain families: from settings to balance sources, one function per family. A new family is one
 * folder beside the others, and its part of `createChains` below.
 */
import type { Logger } from 'pino'
import { asError } from '../errors.ts'
import { SIDES, type Side } from '../facts/primary-network.ts'
import { defined } from '../lib/defined.ts'
import { createUpstreamPool, type PoolLimits, type UpstreamPool, type UpstreamPoolDeps } from '../upstream/index.ts'
import {
  AVALANCHE_CAIP2,
  type AvalancheNetwork,
  avalanchePool,
  createAvalancheNetwork,
  createAvmBalanceSource,
  createCorethBalanceSource,
  createKeyScanner,
  createPvmBalanceSource,
  type EverUsed,
  type IndexedAssets,
} from './avalanche/index.ts'
import { createBitcoinBackends, createBitcoinBalanceSource } from './bitcoin/index.ts'
import type { BalanceSource, TokenCatalogue } from './capabilities.ts'
import { createEvmBalanceSource, EVM_LAG_MS, evmIdentity, evmPool, type IndexedTokens } from './evm/index.ts'
import { createRenewable } from './renewable.ts'
import {
  type AvalancheNetworkSetting,
  type BitcoinChainSetting,
  type ChainSettings,
  type EvmChainSetting,
  nativeToken,
  type SolanaChainSetting,
} from './settings.ts'
import { createSolanaBalanceSource, solanaPool } from './solana/index.ts'

export type { ChainSettings } from './settings.ts'

/** A chain that balances can be read from. */
export interface Chain {
  // biome-ignore lint/suspicious/noExplicitAny: accounts and balances differ by family; `networkType` says which
  source: BalanceSource<any, any>
  /** How long a reading counts as current: about one block, milliseconds. */
  cacheMs: number
}

export interface ChainsDeps {
  limits: PoolLimits
  tokens: TokenCatalogue
  /** What our own index knows of an EVM chain's tokens; undefined for chains that are not indexed. */
  indexedTokens?(chainId: string): IndexedTokens | undefined
  /** What our own index knows of the assets of an Avalanche network. */
  indexedAssets?(side: Side): IndexedAssets
  /** What our own index knows of the addresses of an Avalanche network. */
  indexedUse?(side: Side): EverUsed
  /** Unused addresses that end the scan of an extended public key. */
  xpubGap: number
  pool: Omit<UpstreamPoolDeps, 'headProbe'>
  logger: Logger
  /** A logger of its own for each chain, by CAIP-2 id; left out: all share one. */
  loggerOf?(caip2Id: string): Logger
}

export interface Chains {
  /** By CAIP-2 id, in the order in which they are listed to clients. */
  byId: ReadonlyMap<string, Chain>
  /** Every pool, for health and metrics. */
  pools: readonly UpstreamPool[]
  networks: Partial<Record<Side, AvalancheNetwork>>
  /** How often a chain was found to have been reset, as test networks are: what was read before is of the old one. */
  resets(): number
  /** Reads unknown network ids from the nodes until known or aborted. */
  discover(signal: AbortSignal): void
  /** Adds chains that are not there yet; existing ones stay unchanged, whatever the new settings say. */
  addFrom(settings: ChainSettings): AddedChains
  close(): Promise<void>
}

export interface AddedChains {
  /** CAIP-2 ids; for a network that of its P-chain. */
  added: string[]
  /** Why the others could not be built, by the same ids. */
  failed: Map<string, Error>
}

/** Native coins where the settings name none. */
const BITCOIN = { name: 'Bitcoin', symbol: 'BTC', decimals: 8, internalId: 'NATIVE-btc', priceId: 'bitcoin' }
const SOLANA = { name: 'Solana', symbol: 'SOL', decimals: 9, internalId: 'NATIVE-sol', priceId: 'solana' }

/** Time between blocks where the settings name none, milliseconds. */
const BLOCK_MS = { bitcoin: 600_000, solana: 400, avalanche: 2_000 }
/** A transaction may enter the mempool at any time, so Bitcoin answers are kept far shorter than a block. */
const BITCOIN_CACHE_MS = { min: 1_000, max: 5_000 }
/** Answers must not get old on chains with long blocks, and the cache must be of use on those with short ones. */
const CACHE_MS = { min: 1_000, max: 12_000 }

/** About one block: wallets poll right after a transfer. */
const cacheMsOf = (blockTimeMs: number, { min, max } = CACHE_MS): number => Math.min(Math.max(blockTimeMs, min), max)

/** Options of one chain's pool; limits that are left out are those of all pools. */
type PoolOptions = { limits?: PoolLimits } & Pick<UpstreamPoolDeps, 'headProbe' | 'identity' | 'onReset'>

/** Builds every configured chain. Sends nothing before the first read. */
export function createChains(settings: ChainSettings, deps: ChainsDeps): Chains {
  const byId = new Map<string, Chain>()
  const pools: UpstreamPool[] = []
  const closers: (() => Promise<unknown>)[] = []
  const networks: Chains['networks'] = {}
  let resets = 0
  const loggerOf = (caip2Id: string): Logger => deps.loggerOf?.(caip2Id) ?? deps.logger
  const pool = (
    name: string,
    specs: AvalancheNetworkSetting['upstreams'],
    { limits = deps.limits, ...probes }: PoolOptions,
  ): UpstreamPool => {
    const onReset = (): void => {
      resets += 1
      probes.onReset?.()
    }
    const made = createUpstreamPool(name, specs, limits, { ...deps.pool, ...probes, onReset })
    pools.push(made)
    closers.push(() => made.close())
    return made
  }

  /** Pool for finding tokens on a server that another pool watches. It checks the chain: token lists do not name it. */
  const finderPool = (caip2Id: string, spec: EvmChainSetting['upstreams'][number]): UpstreamPool => {
    const told = { ...deps.pool, identity: evmIdentity(caip2Id) }
    const made = createUpstreamPool(`${caip2Id} tokens`, [spec], deps.limits, told)
    closers.push(() => made.close())
    return made
  }

  const addEvm = (chainId: string, setting: EvmChainSetting): void => {
    const caip2Id = `eip155:${chainId}`
    const indexedTokens = deps.indexedTokens?.(chainId)
    // One pool per server, because the answer of a server that cannot find tokens must not stand for the others.
    const discoveryPools = setting.upstreams.map((upstream) => finderPool(caip2Id, upstream))
    const options = evmPool(caip2Id, setting.upstreams.length)
    const nodes = pool(caip2Id, setting.upstreams, { ...options, onReset: () => renew() })
    const { source, renew } = createRenewable(() =>
      createEvmBalanceSource({
        caip2Id,
        native: nativeToken(setting.native),
        pool: nodes,
        ...(discoveryPools.length > 1 ? { discoveryPools } : {}),
        tokens: deps.tokens,
        limits: { lagBlocks: Math.max(deps.limits.maxLagBlocks, Math.ceil(EVM_LAG_MS / setting.blockTimeMs)) },
        ...(indexedTokens ? { indexedTokens } : {}),
        logger: loggerOf(caip2Id),
        ...(setting.multicall === undefined ? {} : { multicall: setting.multicall }),
      }),
    )
    byId.set(caip2Id, { source, cacheMs: cacheMsOf(setting.blockTimeMs) })
  }

  const addBitcoin = (reference: string, setting: BitcoinChainSetting): void => {
    const caip2Id = `bip122:${reference}`
    const { backends, close } = createBitcoinBackends({
      caip2Id,
      network: setting.network,
      servers: setting.upstreams,
      limits: deps.limits,
      openPool: pool,
      onWait: (name, servers, host, ms) => deps.pool.observe?.({ kind: 'waited', pool: name, host, ms }, servers),
      logger: loggerOf(caip2Id),
    })
    closers.push(async () => close())
    const source = createBitcoinBalanceSource({
      caip2Id,
      native: nativeToken(setting.native ?? BITCOIN),
      network: setting.network,
      backends,
      logger: loggerOf(caip2Id),
    })
    byId.set(caip2Id, { source, cacheMs: cacheMsOf(setting.blockTimeMs ?? BLOCK_MS.bitcoin, BITCOIN_CACHE_MS) })
  }

  const addSolana = (reference: string, setting: SolanaChainSetting): void => {
    const caip2Id = `solana:${reference}`
    const nodes = pool(caip2Id, setting.upstreams, { ...solanaPool(caip2Id, deps.limits), onReset: () => renew() })
    const { source, renew } = createRenewable(() =>
      createSolanaBalanceSource({
        caip2Id,
        native: nativeToken(setting.native ?? SOLANA),
        pool: nodes,
        tokens: deps.tokens,
        logger: loggerOf(caip2Id),
      }),
    )
    byId.set(caip2Id, { source, cacheMs: cacheMsOf(setting.blockTimeMs ?? BLOCK_MS.solana) })
  }

  const addAvalanche = (side: Side, setting: AvalancheNetworkSetting): void => {
    const { upstreams, native, blockTimeMs = BLOCK_MS.avalanche, ...overrides } = setting
    const name = `avalanche:${side}`
    const network = createAvalancheNetwork({
      pool: pool(name, upstreams, avalanchePool(name, overrides.networkId)),
      overrides: defined(overrides),
      ...(native === undefined ? {} : { native: nativeToken(native) }),
      indexedAssets: deps.indexedAssets?.(side),
    })
    networks[side] = network
    const keys = createKeyScanner({ network, gap: deps.xpubGap, everUsed: deps.indexedUse?.(side) })
    const { P, X, C } = AVALANCHE_CAIP2[side]
    const cacheMs = cacheMsOf(blockTimeMs)
    byId.set(P, { source: createPvmBalanceSource({ network, caip2Id: P, keys }), cacheMs })
    byId.set(X, { source: createAvmBalanceSource({ network, caip2Id: X, keys }), cacheMs })
    byId.set(C, { source: createCorethBalanceSource({ network, caip2Id: C }), cacheMs })
  }

  /** Every chain of the settings by the id under which it is found, and how it is built. */
  const buildersIn = ({ evm, bitcoin, solana, avalanche }: ChainSettings): Map<string, () => void> => {
    const builders = new Map<string, () => void>()
    for (const [id, setting] of Object.entries(evm)) builders.set(`eip155:${id}`, () => addEvm(id, setting))
    for (const [id, setting] of Object.entries(bitcoin)) builders.set(`bip122:${id}`, () => addBitcoin(id, setting))
    for (const [id, setting] of Object.entries(solana)) builders.set(`solana:${id}`, () => addSolana(id, setting))
    for (const side of SIDES) {
      const setting = avalanche[side]
      if (setting) builders.set(AVALANCHE_CAIP2[side].P, () => addAvalanche(side, setting))
    }
    return builders
  }
  for (const build of buildersIn(settings).values()) build()
  let discovering: AbortSignal | undefined
  const discover = (signal: AbortSignal): void => {
    discovering = signal
    for (const network of Object.values(networks)) void network.discover(signal)
  }

  return {
    byId,
    pools,
    networks,
    resets: () => resets,
    discover,
    addFrom(more) {
      const known = new Set(byId.keys())
      const before = new Set(Object.values(networks))
      const added: string[] = []
      const failed = new Map<string, Error>()
      for (const [id, build] of buildersIn(more)) {
        if (known.has(id)) continue
        try {
          build()
          added.push(id)
        } catch (error) {
          byId.delete(id)
          failed.set(id, asError(error))
        }
      }
      for (const network of Object.values(networks))
        if (discovering && !before.has(network)) void network.discover(discovering)
      return { added, failed }
    },
    async close() {
      await Promise.all(closers.map((close) => close()))
    },
  }
}
