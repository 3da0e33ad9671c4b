import type { Logger } from 'pino'
import type { Chains } from '../chains/index.ts'
import type { Config } from '../config/index.ts'
import {
  type Bootstrap,
  type ChainCheckDeps,
  createBootstrap,
  createChainCheck,
  createDatabaseCheck,
  createDiskCheck,
  createNetworkCheck,
  createNodeHealth,
  createRequestLedger,
  type NodeHealth,
  type RequestLedger,
} from '../services/node-health/index.ts'
import type { Store } from '../store/index.ts'
import type { UpstreamPool } from '../upstream/index.ts'

/** The health checks of this server, and what they are told. */
export interface ServerHealth {
  /** `start` and `stop` it; whoever has more checks registers them here. */
  health: NodeHealth
  /** The `bootstrapped` check: whoever has to catch up first says so here. */
  bootstrap: Bootstrap
  /** Tell it every request: the `router` check. */
  requests: RequestLedger
  /** Whether a chain was readable in the last run; undefined when no check looks after it. By blockchain ID. */
  isServed(blockchainId: string): boolean | undefined
}

export interface ServerHealthDeps {
  chains: Pick<Chains, 'pools' | 'networks'>
  store?: Pick<Store, 'isOpen' | 'probes'>
  logger: Logger
}

const PRIMARY_NETWORK = '11111111111111111111111111111111LpoYY'
const PRIMARY_CHAINS = {
  P: { path: '/ext/bc/P', method: 'platform.getHeight', params: {} },
  X: { path: '/ext/bc/X', method: 'avm.getHeight', params: {} },
  C: { path: '/ext/bc/C/rpc', method: 'eth_blockNumber', params: [] },
} as const

type HeightQuestion = { path: string; method: string; params: object }

/** Heights come as text of digits, hex text, or in a member of their own. */
const heightIn = (result: unknown): bigint =>
  BigInt(String(typeof result === 'object' && result !== null ? (result as { height?: unknown }).height : result))

const heightOf =
  (pool: UpstreamPool, { path, method, params }: HeightQuestion) =>
  async (signal: AbortSignal): Promise<bigint> =>
    heightIn(await pool.rpc(path, method, params, { signal, batch: false }))

/** The network that /ext serves: mainnet when there is one. */
export const servedSide = (avalanche: Config['chains']['avalanche']): 'mainnet' | 'testnet' | undefined =>
  avalanche.mainnet ? 'mainnet' : avalanche.testnet ? 'testnet' : undefined

function primaryChecks(pool: UpstreamPool, bootstrap: Bootstrap): ChainCheckDeps[] {
  return (['P', 'X', 'C'] as const).map((name) => {
    bootstrap.expect(name, PRIMARY_NETWORK)
    return {
      name,
      tags: () => [PRIMARY_NETWORK],
      pools: [pool],
      height: heightOf(pool, PRIMARY_CHAINS[name]),
      onReached: () => bootstrap.reached(name),
    }
  })
}

/** The subnet that validates a chain, asked until known; it never changes. */
function subnetOf(blockchainId: string, network: UpstreamPool | undefined) {
  let subnet: string | undefined
  return {
    tags: () => (subnet === undefined ? [] : [subnet]),
    find: async (signal: AbortSignal): Promise<void> => {
      if (subnet !== undefined || network === undefined) return
      const params = { blockchainID: blockchainId }
      const answer = await network
        .rpc<{ subnetID?: unknown }>('/ext/bc/P', 'platform.validatedBy', params, { signal, batch: false })
        .catch(() => undefined)
      if (typeof answer?.subnetID === 'string') subnet = answer.subnetID
    },
  }
}

/** Chains of other kinds are asked only in doubt: they are read by users anyway, and public servers count every call. */
function evmCheck(chainId: string, pool: UpstreamPool, l1: string | undefined, network?: UpstreamPool): ChainCheckDeps {
  const height = heightOf(pool, { path: '', method: 'eth_blockNumber', params: [] })
  if (l1 === undefined) return { name: `eip155:${chainId}`, tags: () => [], pools: [pool], height, onlyInDoubt: true }
  const subnet = subnetOf(l1, network)
  return {
    name: l1,
    tags: subnet.tags,
    pools: [pool],
    height: async (signal) => {
      const [tip] = await Promise.all([height(signal), subnet.find(signal)])
      return tip
    },
  }
}

function chainChecks(config: Config, chains: ServerHealthDeps['chains'], bootstrap: Bootstrap): ChainCheckDeps[] {
  const { avalanche, evm, bitcoin, solana } = config.chains
  const served = servedSide(avalanche)
  const network = served && chains.networks[served]?.pool
  const named = (prefix: string) => chains.pools.filter(({ name }) => name === prefix || name.startsWith(`${prefix} `))
  const cChains = [avalanche.mainnet?.cBlockchainId, avalanche.testnet?.cBlockchainId]
  const checks: ChainCheckDeps[] = network ? primaryChecks(network, bootstrap) : []
  for (const side of ['mainnet', 'testnet'] as const) {
    const pool = chains.networks[side]?.pool
    if (!pool || side === served) continue
    checks.push({
      name: `avalanche:${side}`,
      tags: () => [],
      pools: [pool],
      height: heightOf(pool, PRIMARY_CHAINS.P),
      onlyInDoubt: true,
    })
  }
  for (const [chainId, { blockchainId }] of Object.entries(evm)) {
    const l1 = blockchainId !== undefined && !cChains.includes(blockchainId) ? blockchainId : undefined
    for (const pool of named(`eip155:${chainId}`)) checks.push(evmCheck(chainId, pool, l1, network))
  }
  for (const reference of Object.keys(solana))
    for (const pool of named(`solana:${reference}`)) {
      const height = heightOf(pool, { path: '', method: 'getSlot', params: [] })
      checks.push({ name: pool.name, tags: () => [], pools: [pool], height, onlyInDoubt: true })
    }
  for (const reference of Object.keys(bitcoin)) {
    const pools = named(`bip122:${reference}`)
    // Electrum servers are reached without a pool: nothing is known of them here.
    if (pools.length > 0) checks.push({ name: `bitcoin:${reference}`, tags: () => [], pools })
  }
  return checks
}

/** Puts the checks together. Asks nobody before `health.start()` or `health.runNow()`. */
export function createServerHealth(config: Config, { chains, store, logger }: ServerHealthDeps): ServerHealth {
  const health = createNodeHealth({ frequencyMs: config.node.healthCheckFrequencyMs, logger })
  const bootstrap = createBootstrap()
  const requests = createRequestLedger()
  const checks = chainChecks(config, chains, bootstrap)
  const served = servedSide(config.chains.avalanche)
  const network = served && chains.networks[served]
  const pools = network ? [network.pool] : chains.pools
  for (const check of checks) health.registerCheck(createChainCheck(check))
  if (pools.length > 0) health.registerCheck(createNetworkCheck(pools))
  health.registerCheck(createDatabaseCheck(() => probe(store)))
  health.registerCheck(createDiskCheck(config.dataDir))
  health.registerCheck(bootstrap.check)
  health.registerCheck(requests.check)

  const checkOf = (blockchainId: string): string => {
    const ids = network?.known()?.blockchainIds
    return (
      (['P', 'X', 'C'] as const).find((name) => ids?.[name] === blockchainId || name === blockchainId) ?? blockchainId
    )
  }
  return {
    health,
    bootstrap,
    requests,
    isServed: (blockchainId) => {
      const result = health.resultOf(checkOf(blockchainId))
      return result && result.error === undefined
    },
  }
}

async function probe(store: ServerHealthDeps['store']): Promise<void> {
  if (store?.isOpen !== true) return
  await store.probes.read()
  await store.probes.write()
}
