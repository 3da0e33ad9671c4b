import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { createAppCheck } from '../api/balance/app-check.ts'
import { type BalanceApiOptions, balanceApi } from '../api/balance/index.ts'
import { keyFileTrouble } from '../api/balance/key-set.ts'
import type { Chains } from '../chains/index.ts'
import type { Config } from '../config/index.ts'
import { SIDES, type Side } from '../facts/primary-network.ts'
import { PUBLIC_NETWORKS } from '../facts/public-networks.ts'
import { hrpOfNetwork } from '../lib/bytes/bech32-address.ts'
import type { Metrics } from '../metrics/index.ts'
import { createBalanceService } from '../services/balances/index.ts'
import type { StakeRewardsService } from '../services/stake-rewards/index.ts'
import { observeBalances, observeChains } from './balance-metrics.ts'
import type { IndexIdentities } from './indexed/indexed-networks.ts'
import type { Market } from './market.ts'
import type { HeapRoom } from './process/heap-room.ts'

/** HRPs of the API; a private network's prefix is accepted in addition. */
const HRPS = SIDES.map((side) => PUBLIC_NETWORKS[side].hrp)

/** The file may still appear, so the start continues; until then every request is a failure of this server. */
async function warnOfKeys({ mode, jwks }: Config['balance']['appCheck'], logger: Logger): Promise<void> {
  if (jwks === undefined || (mode !== 'jwt' && mode !== 'firebase')) return
  const reason = await keyFileTrouble(jwks)
  if (reason !== undefined) logger.warn({ file: jwks, reason }, 'keys of tokens could not be read')
}

export async function wireBalance(
  app: FastifyInstance,
  config: Config,
  deps: {
    chains: Chains
    identities: IndexIdentities
    market: Market
    logger: Logger
    metrics?: Metrics | undefined
    stakeRewards?: StakeRewardsService
    heap: Pick<HeapRoom, 'isFull'>
  },
): Promise<void> {
  const { chains, market, logger, metrics, heap } = deps
  const balances = createBalanceService({
    chainOf: observeChains((caip2Id) => chains.byId.get(caip2Id), metrics?.balances),
    prices: market.prices,
    scaledUnit: config.market.prices.scaledUnit,
    splitSettleMs: config.market.prices.splitSettleMs,
    judge: market.verdicts,
    deadlineMs: config.balance.chainDeadlineMs,
    maxStaleMs: config.balance.maxStaleMs,
    cacheEntries: config.balance.cacheEntries,
    resets: chains.resets,
    isFull: () => heap.isFull(),
    logger,
  })
  await warnOfKeys(config.balance.appCheck, logger)
  await app.register(balanceApi, {
    balances: observeBalances(balances, metrics?.balances),
    ...(deps.stakeRewards ? { stakeRewards: deps.stakeRewards } : {}),
    appCheck: createAppCheck(config.balance.appCheck),
    caip2Ids: () => [...chains.byId.keys()],
    nativeOf: (caip2Id) => {
      const chain = chains.byId.get(caip2Id)
      if (!chain) throw new Error(`no chain ${caip2Id}`)
      return chain.source.native
    },
    hrps: () => [...new Set([...HRPS, ...ownPrefixes(config), ...foundPrefixes(deps.identities)])],
    hrpsToCome: () => SIDES.some((side) => isToCome(side, config, deps)),
    isFull: heap.isFull,
    limits: limitsOf(config),
  })
}

function limitsOf({ http, balance }: Config): BalanceApiOptions['limits'] {
  const { keepAliveMs, stalledReaderMs, maxStreams } = balance
  const { bodyLimitBytes, shutdownGraceMs } = http
  return { bodyLimitBytes, keepAliveMs, stalledReaderMs, maxStreams, shutdownGraceMs }
}

/** The prefix of a network as it is configured, or follows from its configured ID. */
const configuredPrefix = ({ chains }: Config, side: Side): string | undefined => {
  const { hrp, networkId } = chains.avalanche[side] ?? {}
  return hrp ?? (networkId === undefined ? undefined : hrpOfNetwork(networkId))
}

const ownPrefixes = (config: Config): string[] => SIDES.flatMap((side) => configuredPrefix(config, side) ?? [])

/** Prefixes of private networks are known once a node has reported the network's ID, or the index knows it. */
const foundPrefixes = ({ known }: IndexIdentities): string[] => SIDES.flatMap((side) => known(side)?.hrp ?? [])

/** A private network whose nodes have not answered since the start, and that was not indexed before. */
const isToCome = (side: Side, config: Config, deps: { chains: Chains; identities: IndexIdentities }): boolean =>
  deps.chains.networks[side] !== undefined &&
  configuredPrefix(config, side) === undefined &&
  deps.identities.known(side) === undefined
