import { getAddress } from 'viem/utils'
import type { EvmChainInfo, EvmChains } from '../../api/data/evm/chain.ts'
import type { Chains } from '../../chains/index.ts'
import type { Config } from '../../config/index.ts'
import { PRIMARY_NETWORK_ID } from '../../facts/primary-network.ts'
import { idFromCb58, idToCb58 } from '../../lib/bytes/ids.ts'
import { steadyNow } from '../../lib/steady-clock.ts'
import type { IndexReader } from '../../store/index.ts'
import type { UpstreamPool } from '../../upstream/index.ts'
import type { EvmStreams } from './evm-streams.ts'
import type { IndexIdentities } from './indexed-networks.ts'

const AVAX = { name: 'Avalanche', symbol: 'AVAX', decimals: 18 }

type ChainListDeps = Pick<Chains, 'pools' | 'networks'> &
  Pick<IndexIdentities, 'known'> & {
    /** What the index of P knows about L1s; left out if there is none. */
    blockchains?: IndexReader['blockchains']
  }

/**
 * The indexed EVM chains in the form of the indexed API, from the configuration, the nodes and, for L1s, what the index
 * of P says about their creation.
 */
export function createEvmChainList(config: Config, chains: ChainListDeps, streams: EvmStreams): EvmChains {
  const creationOf = createCreations(chains.blockchains)
  return {
    list: async () =>
      Promise.all(
        [...(await streams())].map(([chainId, stream]) => describe(config, chains, chainId, stream, creationOf)),
      ),
    streams,
  }
}

type EvmSetting = Config['chains']['evm'][string]
type Creation = Pick<EvmChainInfo, 'subnetId' | 'vmId'>

/** Interval for asking again about a chain that P does not know yet: every call about an EVM chain looks here. */
const ASK_AGAIN_MS = 5_000

/** A chain is created once, so a result is kept. An unavailable database must not fail an answer. */
function createCreations(blockchains: IndexReader['blockchains'] | undefined) {
  const found = new Map<string, { creation: Creation; until: number }>()
  return async (side: 'mainnet' | 'testnet', blockchainId: string | undefined): Promise<Creation> => {
    if (blockchains === undefined || blockchainId === undefined) return {}
    const known = found.get(blockchainId)
    if (known && known.until > steadyNow()) return known.creation
    const look = async () => blockchains.find(side, idFromCb58(blockchainId))
    const made = await look().catch(() => undefined)
    const creation = made === undefined ? {} : { subnetId: idToCb58(made.subnetId), vmId: idToCb58(made.vmId) }
    const until = made === undefined ? steadyNow() + ASK_AGAIN_MS : Number.POSITIVE_INFINITY
    found.set(blockchainId, { creation, until })
    return creation
  }
}

async function describe(
  config: Config,
  { pools, networks, known }: ChainListDeps,
  chainId: string,
  stream: string,
  creationOf: ReturnType<typeof createCreations>,
): Promise<EvmChainInfo> {
  const setting = config.chains.evm[chainId]
  const side = stream === 'mainnet:C' ? 'mainnet' : stream === 'testnet:C' ? 'testnet' : undefined
  const network = side && networks[side]
  const pool = network?.pool ?? pools.find(({ name }) => name === `eip155:${chainId}`)
  const blockchainId = setting?.blockchainId ?? (side && known(side)?.blockchainIds.C)
  // Blocks are stored under the side: with another `testnet` setting of the EVM chain they would be in neither list.
  const isTestnet = side === undefined ? setting?.testnet === true : side === 'testnet'
  // C-chains belong to the primary network.
  const creation: Creation =
    side === undefined
      ? await creationOf(isTestnet ? 'testnet' : 'mainnet', blockchainId)
      : { subnetId: PRIMARY_NETWORK_ID }
  return {
    chainId,
    status: isReachable(pool) ? 'OK' : 'UNAVAILABLE',
    chainName: setting?.name ?? 'Avalanche (C-Chain)',
    description: '',
    ...(blockchainId === undefined ? {} : { platformChainId: blockchainId }),
    ...creation,
    vmName: 'EVM',
    ...(setting?.explorer === undefined ? {} : { explorerUrl: setting.explorer }),
    rpcUrl: rpcUrlOf(setting?.upstreams[0]?.url, side && config.chains.avalanche[side]?.upstreams[0]?.url),
    isTestnet,
    ...(setting?.multicall === undefined ? {} : { utilityAddresses: { multicall: getAddress(setting.multicall) } }),
    networkToken: tokenOf(setting),
    private: false,
    enabledFeatures: ['nftIndexing'],
  }
}

function tokenOf(setting: EvmSetting | undefined): EvmChainInfo['networkToken'] {
  if (!setting) return AVAX
  const { name, symbol, decimals, logoUri } = setting.native
  return { name, symbol, decimals, ...(logoUri === undefined ? {} : { logoUri }) }
}

/** Servers that have not been asked yet count as reachable. */
const isReachable = (pool: UpstreamPool | undefined): boolean => {
  const servers = pool?.status() ?? []
  return servers.length === 0 || servers.some(({ healthy }) => healthy)
}

/** A node's standard path of a chain, and hosts without keys: neither contains a secret. */
const NODE_PATH = /^\/ext\/bc\/[A-Za-z0-9]{1,64}\/rpc$/
const KEYLESS_HOSTS = new Set(['subnets.avax.network'])

/**
 * Where wallets can send their calls. Upstream URLs may carry keys in path or query, so only the origin is published,
 * and the path only if it is known to contain none.
 */
function rpcUrlOf(endpoint: string | undefined, node: string | undefined): string {
  if (endpoint === undefined) return node === undefined ? '' : `${new URL(node).origin}/ext/bc/C/rpc`
  const { origin, host, pathname } = new URL(endpoint)
  return NODE_PATH.test(pathname) || KEYLESS_HOSTS.has(host) ? `${origin}${pathname}` : origin
}
