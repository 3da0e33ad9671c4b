import { type ChainTips, createEvmGateway, createEvmSockets, createSocketTargets } from '../../api/node/evm/index.ts'
import { chainEndpoint, type EvmApi, type Forwarder, type NodePools, type PeerProcesses } from '../../api/node/index.ts'
import type { Config } from '../../config/index.ts'
import type { Metrics } from '../../metrics/index.ts'
import type { UpstreamSpec } from '../../upstream/index.ts'

export interface ServerEvmDeps {
  forwarder: Forwarder
  pools: NodePools
  tips: ChainTips
  nodes: readonly UpstreamSpec[]
  metrics: Metrics | undefined
  peers: PeerProcesses | undefined
  /** EVM endpoints by cb58 blockchain id (`C` for the C-chain's), in addition to the nodes' own. */
  evm: Readonly<Record<string, readonly UpstreamSpec[]>>
}

export interface ServerEvm extends EvmApi {
  /** Clients are shown this block of an L1 by this server itself: what nodes are asked next is no older. */
  shown(blockchainId: string, height: bigint): void
  /** Closes open WebSockets and accepts no more. */
  hangUp(): void
}

/** Entries of the cache of EVM answers; its size in bytes is a setting. */
const CACHE_ENTRIES = 50_000

/** EVM endpoints under /ext. */
export function createServerEvm(
  config: Config,
  { forwarder, pools, tips, nodes, evm, metrics, peers }: ServerEvmDeps,
): ServerEvm {
  const { node } = config
  const { answer } = createEvmGateway({
    pools,
    forwarder,
    tips,
    cache: { bytes: node.cacheBytes, entries: CACHE_ENTRIES, onHit: metrics?.nodeCache('evm') },
    tipCacheMs: node.tipCacheMs,
    peers,
  })
  const sockets = createEvmSockets({
    answer,
    targets: createSocketTargets({ pools, nodes, evm, isBehind: (endpoint, host) => tips.of(endpoint).isBehind(host) }),
    onHead: (endpoint, host, height) => tips.of(endpoint).saw(host, height),
    peers,
  })
  return {
    answer,
    upgrade: sockets.upgrade,
    shown: (blockchainId, height) => {
      const endpoint = chainEndpoint(blockchainId, 'rpc')
      if (endpoint) tips.shown(endpoint, height)
    },
    hangUp: sockets.close,
  }
}
