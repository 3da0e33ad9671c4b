import type { EvmChainInfo, EvmChains } from '../api/data/evm-chain.ts'
import type { Chains } from '../chains/index.ts'
import type { Config } from '../config/index.ts'
import { PRIMARY_NETWORK_ID } from '../lib/primary-network.ts'
import type { UpstreamPool } from '../upstream/index.ts'
import type { EvmStreams } from './evm-streams.ts'
import type { IndexIdentities } from './indexed-networks.ts'

const AVAX = { name: 'Avalanche', symbol: 'AVAX', decimals: 18 }

type ChainListDeps = Pick<Chains, 'pools' | 'networks'> & Pick<IndexIdentities, 'known'>

/** The indexed EVM chains in the form of the indexed API: what the configuration says, and what nodes have told. */
export function createEvmChainList(config: Config, chains: ChainListDeps, streams: EvmStreams): EvmChains {
  return {
    list: async () => [...(await streams())].map(([chainId, stream]) => describe(config, chains, chainId, stream)),
    streams,
  }
}

type EvmSetting = Config['chains']['evm'][string]

function describe(
  config: Config,
  { pools, networks, known }: ChainListDeps,
  chainId: string,
  stream: string,
): EvmChainInfo {
  const setting = config.chains.evm[chainId]
  const side = stream === 'mainnet:C' ? 'mainnet' : stream === 'testnet:C' ? 'testnet' : undefined
  const network = side && networks[side]
  const pool = network?.pool ?? pools.find(({ name }) => name === `eip155:${chainId}`)
  const blockchainId = setting?.blockchainId ?? (side && known(side)?.blockchainIds.C)
  // Blocks are kept under the side: by another word in the settings of the EVM chain they would be in neither list.
  const isTestnet = side === undefined ? setting?.testnet === true : side === 'testnet'
  return {
    chainId,
    status: isReachable(pool) ? 'OK' : 'UNAVAILABLE',
    chainName: setting?.name ?? 'Avalanche (C-Chain)',
    description: '',
    ...(blockchainId === undefined ? {} : { platformChainId: blockchainId }),
    // C-chains belong to the primary network.
    ...(side === undefined ? {} : { subnetId: PRIMARY_NETWORK_ID }),
    vmName: 'EVM',
    ...(setting?.explorer === undefined ? {} : { explorerUrl: setting.explorer }),
    rpcUrl: rpcUrlOf(setting?.upstreams[0]?.url, side && config.chains.avalanche[side]?.upstreams[0]?.url),
    isTestnet,
    ...(setting?.multicall === undefined ? {} : { utilityAddresses: { multicall: setting.multicall } }),
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

/** Servers that were not asked yet count as reachable. */
const isReachable = (pool: UpstreamPool | undefined): boolean => {
  const servers = pool?.status() ?? []
  return servers.length === 0 || servers.some(({ healthy }) => healthy)
}

/** A node's own path of a chain, and hosts without keys: nothing in these is a secret. */
const NODE_PATH = /^\/ext\/bc\/[A-Za-z0-9]{1,64}\/rpc$/
const KEYLESS_HOSTS = new Set(['subnets.avax.network'])

/**
 * Where wallets may send their calls. Upstream URLs may carry keys in path or query, so that strangers are told the
 * origin, and of the path only what is known to hold none.
 */
function rpcUrlOf(endpoint: string | undefined, node: string | undefined): string {
  if (endpoint === undefined) return node === undefined ? '' : `${new URL(node).origin}/ext/bc/C/rpc`
  const { origin, host, pathname } = new URL(endpoint)
  return NODE_PATH.test(pathname) || KEYLESS_HOSTS.has(host) ? `${origin}${pathname}` : origin
}
