import type { Chains } from '../../chains/index.ts'
import type { Config } from '../../config/index.ts'
import { HEIGHT_CALLS, type HeightCall } from '../../facts/height-calls.ts'
import { CHAIN_LETTERS, type ChainLetter, PRIMARY_NETWORK_ID, SIDES, type Side } from '../../facts/primary-network.ts'
import type { Bootstrap, ChainCheckDeps } from '../../services/node-health/index.ts'
import type { UpstreamPool } from '../../upstream/index.ts'

export interface ChainHealthDeps {
  config: Config
  chains: Pick<Chains, 'pools' | 'networks'>
  /** The pool for a chain of the network that /ext serves; called each time. Undefined = no network is served. */
  primaryPool: ((chain: ChainLetter) => UpstreamPool) | undefined
  /** The network that /ext serves. */
  served: Side | undefined
  bootstrap: Bootstrap
}

const EVM_HEIGHT: HeightCall = { ...HEIGHT_CALLS.C, path: '' }
const SOLANA_HEIGHT: HeightCall = { path: '', method: 'getSlot', params: [] }

/** Heights come as a number, as decimal or hex text, or in a `height` member. */
const heightIn = (result: unknown): bigint =>
  BigInt(String(typeof result === 'object' && result !== null ? (result as { height?: unknown }).height : result))

const heightOf =
  (pool: () => UpstreamPool, { path, method, params }: HeightCall) =>
  async (signal: AbortSignal): Promise<bigint> =>
    heightIn(await pool().rpc(path, method, params, { signal, batch: false }))

/** The height that the nodes of a primary chain show now. */
export const primaryHeight = (
  name: ChainLetter,
  pool: UpstreamPool,
  signal: AbortSignal = new AbortController().signal,
): Promise<bigint> => heightOf(() => pool, HEIGHT_CALLS[name])(signal)

const noTags = (): string[] => []

/** Other kinds of chains are asked only in doubt: users read them anyway, and public servers count every call. */
const quietCheck = (name: string, pool: UpstreamPool, question: HeightCall): ChainCheckDeps => ({
  name,
  tags: noTags,
  pools: () => [pool],
  height: heightOf(() => pool, question),
  onlyInDoubt: true,
})

const primaryCheck = (
  name: ChainLetter,
  poolOf: (chain: ChainLetter) => UpstreamPool,
  bootstrap: Bootstrap,
): ChainCheckDeps => {
  bootstrap.expect(name, PRIMARY_NETWORK_ID)
  return {
    name,
    tags: () => [PRIMARY_NETWORK_ID],
    pools: () => [poolOf(name)],
    height: heightOf(() => poolOf(name), HEIGHT_CALLS[name]),
    onReached: () => bootstrap.reached(name),
  }
}

/** The subnet that validates a chain, asked for until known; it never changes. */
function subnetOf(blockchainId: string, p: (() => UpstreamPool) | undefined) {
  let subnet: string | undefined
  return {
    tags: () => (subnet === undefined ? [] : [subnet]),
    find: async (signal: AbortSignal): Promise<void> => {
      if (subnet !== undefined || p === undefined) return
      const params = { blockchainID: blockchainId }
      const answer = await p()
        .rpc<{ subnetID?: unknown }>('/ext/bc/P', 'platform.validatedBy', params, { signal, batch: false })
        // The chain itself is healthy: its tag can wait for the next run.
        .catch(() => undefined)
      if (typeof answer?.subnetID === 'string') subnet = answer.subnetID
    },
  }
}

function l1Check(blockchainId: string, pool: UpstreamPool, p: (() => UpstreamPool) | undefined): ChainCheckDeps {
  const height = heightOf(() => pool, EVM_HEIGHT)
  const subnet = subnetOf(blockchainId, p)
  return {
    name: blockchainId,
    tags: subnet.tags,
    pools: () => [pool],
    height: async (signal) => {
      const [tip] = await Promise.all([height(signal), subnet.find(signal)])
      return tip
    },
  }
}

function evmChecks({ config, primaryPool }: ChainHealthDeps, poolsOf: (id: string) => UpstreamPool[]) {
  const { avalanche, evm } = config.chains
  const cChains = [avalanche.mainnet?.cBlockchainId, avalanche.testnet?.cBlockchainId]
  return Object.entries(evm).flatMap(([chainId, { blockchainId }]) =>
    poolsOf(`eip155:${chainId}`).map((pool) =>
      blockchainId === undefined || cChains.includes(blockchainId)
        ? quietCheck(pool.name, pool, EVM_HEIGHT)
        : l1Check(blockchainId, pool, primaryPool && (() => primaryPool('P'))),
    ),
  )
}

/**
 * The check of each configured chain: `P`, `X`, `C` of the network under /ext, L1s by blockchain ID, EVM chains and
 * Solana by CAIP-2 id, `bitcoin:<reference>`, the other Avalanche network as `avalanche:<side>`.
 */
export function chainChecks(deps: ChainHealthDeps): ChainCheckDeps[] {
  const { config, chains, primaryPool, served, bootstrap } = deps
  const { bitcoin, solana } = config.chains
  // The pools of one Bitcoin chain have the kind of server after the id.
  const poolsOf = (id: string) => chains.pools.filter(({ name }) => name === id || name.startsWith(`${id} `))
  const otherSides = SIDES.filter((side) => side !== served)
  return [
    ...(primaryPool ? CHAIN_LETTERS.map((name) => primaryCheck(name, primaryPool, bootstrap)) : []),
    ...otherSides.flatMap((side) => {
      const pool = chains.networks[side]?.pool
      return pool ? [quietCheck(`avalanche:${side}`, pool, HEIGHT_CALLS.P)] : []
    }),
    ...evmChecks(deps, poolsOf),
    ...Object.keys(solana).flatMap((id) =>
      poolsOf(`solana:${id}`).map((pool) => quietCheck(pool.name, pool, SOLANA_HEIGHT)),
    ),
    // Electrum servers are used without a pool: nothing is known about them here.
    ...Object.keys(bitcoin).flatMap((id) => {
      const pools = poolsOf(`bip122:${id}`)
      return pools.length === 0 ? [] : [{ name: `bitcoin:${id}`, tags: noTags, pools: () => pools }]
    }),
  ]
}
