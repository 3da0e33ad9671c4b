import type { Logger } from 'pino'
import { type ChainTips, createChainTips } from '../../api/node/evm/index.ts'
import {
  blockchainIdOf,
  type ChainDirectory,
  createChainDirectory,
  createForwarder,
  createNodeAliases,
  createNodeApi,
  createNodePools,
  createPeerProcesses,
  type Forwarder,
  type ListedChain,
  type NodeApi,
  type NodePools,
  type NodePoolsDeps,
  type PeerProcesses,
} from '../../api/node/index.ts'
import { withEvmFallbacks } from '../../api/node/services/evm-fallbacks.ts'
import { blockHeight } from '../../chains/avalanche/codec/index.ts'
import { avalancheIdentity } from '../../chains/avalanche/index.ts'
import { cChainIdentity, evmIdentity } from '../../chains/evm/index.ts'
import type { Config } from '../../config/index.ts'
import type { Side } from '../../facts/primary-network.ts'
import { sha256 } from '../../lib/bytes/sha256.ts'
import { defined } from '../../lib/defined.ts'
import { hostNames, namesBeside } from '../../lib/http/host-names.ts'
import { pause } from '../../lib/waiting/pause.ts'
import type { Metrics } from '../../metrics/index.ts'
import type { PoolLimits, UpstreamPoolDeps, UpstreamSpec } from '../../upstream/index.ts'
import type { ServerSharing } from '../sharing.ts'
import { createOnIndexed } from './indexed-heights.ts'
import { createServerEvm } from './node-evm.ts'
import { servedSide } from './node-health.ts'
import { createOwnAnswers, type OwnAnswersDeps } from './own-answers.ts'

export interface ServerNodeDeps extends Pick<OwnAnswersDeps, 'health' | 'services' | 'containers'> {
  pool: Omit<UpstreamPoolDeps, 'headProbe'>
  logger: Logger
  metrics?: Metrics | undefined
  /** What is shared with other processes; left out = this is the only one. */
  sharing?: Pick<ServerSharing, 'values' | 'news'> | undefined
}

/** Everything behind /ext. */
export interface ServerNode {
  api: NodeApi
  chains: ChainDirectory
  pools: NodePools
  /** From now on this chain is served by these EVM endpoints, in addition to the nodes. */
  serve(blockchainId: string, upstreams: readonly UpstreamSpec[], evmChainId: string): void
  /** Virtual machines by blockchain id, as a node lists them; empty when none can be asked. */
  machines(signal: AbortSignal): Promise<ReadonlyMap<string, string>>
  /** Finds out the id of the identity node and the list of chains; retries until it has both or is aborted. */
  discover(signal: AbortSignal): Promise<void>
  /** The index has the newest block of a chain: what clients read from it must not be newer than what nodes tell. */
  indexed(stream: string, height: bigint): void
  /** Ends what would keep the server from closing: WebSockets. */
  hangUp(): void
  close(): Promise<void>
}

/** A node allows itself this long; the pools of other APIs have shorter timeouts, as their answers have deadlines. */
const limitsOf = ({ upstream, node }: Config): PoolLimits => ({
  ...upstream,
  headersTimeoutMs: node.attemptMs,
  bodyTimeoutMs: node.attemptMs,
  maxConcurrent: node.maxConcurrent,
  requestsPerSecond: node.requestsPerSecond,
})

type NamedSpec = UpstreamSpec & { name: string }

const named = (upstreams: readonly { url: string }[], names: readonly string[]): NamedSpec[] =>
  upstreams.map((upstream, index) => ({ ...(defined(upstream) as UpstreamSpec), name: names[index] as string }))

const urlsOf = (upstreams: readonly { url: string }[]): string[] => upstreams.map(({ url }) => url)

const nodeSpecs = (upstreams: readonly { url: string }[]): NamedSpec[] => named(upstreams, hostNames(urlsOf(upstreams)))

const specsBeside = (nodes: readonly NamedSpec[], upstreams: readonly { url: string }[]): NamedSpec[] =>
  named(upstreams, namesBeside(nodes, urlsOf(upstreams)))

/**
 * EVM endpoints by blockchain id. The entry of the C-chain counts only when both sides name the same id: a private
 * network may have the EVM chain id of the public one, whose servers know nothing about it.
 */
function evmSpecs(
  { chains }: Config,
  side: Side | undefined,
  nodes: readonly NamedSpec[],
): Record<string, UpstreamSpec[]> {
  const cId = side && chains.avalanche[side]?.cBlockchainId
  const otherIds = [chains.avalanche.mainnet?.cBlockchainId, chains.avalanche.testnet?.cBlockchainId]
  const specs: Record<string, UpstreamSpec[]> = {}
  for (const { blockchainId, upstreams } of Object.values(chains.evm)) {
    if (blockchainId === undefined) continue
    if (blockchainId === cId) specs['C'] = specsBeside(nodes, upstreams)
    else if (!otherIds.includes(blockchainId)) specs[blockchainId] = specsBeside(nodes, upstreams)
  }
  return specs
}

/**
 * A server of another network would answer with that network's blocks and balances.
 * @param evmIds EVM chain ids by blockchain id, of configured L1s
 */
function networksOf(
  { chains }: Config,
  side: Side | undefined,
  evmIds: ReadonlyMap<string, string>,
): NodePoolsDeps['networks'] {
  const network = side && chains.avalanche[side]
  const ofC = network && cChainIdentity(`the C-chain of avalanche:${side}`, network.evmChainId)
  return {
    nodes: network && avalancheIdentity(`avalanche:${side}`, network.networkId),
    evm(blockchainId) {
      if (blockchainId === 'C') return ofC
      const id = evmIds.get(blockchainId)
      return id === undefined ? undefined : evmIdentity(`eip155:${id}`)
    },
  }
}

function serversOf(config: Config, side: Side | undefined) {
  const { avalanche, evm } = config.chains
  const evmIds = new Map(
    Object.entries(evm).flatMap(([id, { blockchainId }]) =>
      blockchainId === undefined ? [] : [[blockchainId, id] as const],
    ),
  )
  const nodes = nodeSpecs((side && avalanche[side]?.upstreams) ?? [])
  return { nodes, evm: evmSpecs(config, side, nodes), evmIds, networks: networksOf(config, side, evmIds) }
}

async function listChains(
  pools: NodePools,
  signal?: AbortSignal,
): Promise<readonly (ListedChain & { vmID?: string })[]> {
  const answer = await pools
    .group('P')
    .pool.rpc<{ blockchains?: (ListedChain & { vmID?: string })[] | null }>(
      '/ext/bc/P',
      'platform.getBlockchains',
      {},
      { batch: false, ...(signal ? { signal } : {}) },
    )
  return answer.blockchains ?? []
}

/** One channel for all processes with the same nodes: other networks' heights mean nothing. Hashed: URLs carry keys. */
const channelOf = (...specs: readonly (readonly UpstreamSpec[] | undefined)[]): string =>
  `told:${sha256(Buffer.from(JSON.stringify(specs.map((some = []) => some.map(({ url }) => url).sort())))).toString('hex', 0, 8)}`

const FIRST_RETRY_MS = 500
const LAST_RETRY_MS = 30_000
const CACHE_ENTRIES = 50_000

/** Everything behind /ext. */
export function createServerNode(config: Config, deps: ServerNodeDeps): ServerNode {
  const side = servedSide(config)
  const network = side && config.chains.avalanche[side]
  const { nodes, evm, evmIds, networks } = serversOf(config, side)
  const peers = deps.sharing && createPeerProcesses(deps.sharing.news(channelOf(nodes, evm['C'])))
  const { pools, tips, forwarder } = createForwarding(config, { nodes, evm, networks, peers, ...deps })
  const chains = createChainDirectory({
    list: () => listChains(pools),
    configured: Object.keys(evm).filter((id) => id !== 'C'),
    primaryIds: defined({ X: network?.xBlockchainId, C: network?.cBlockchainId }),
  })
  const ownEvm = createServerEvm(config, { forwarder, pools, tips, nodes, evm, metrics: deps.metrics, peers })
  const api = createNodeApi({
    forwarder,
    chains,
    nodeAliases: createNodeAliases((alias) => blockchainIdOf(pools, alias)),
    ...createOwnAnswers(config, { chains, pools, forwarder, ...deps }),
    evm: withEvmFallbacks(ownEvm),
    publicDeployment: config.node.publicDeployment,
    allowedHosts: config.node.allowedHosts,
    corsOrigins: config.http.corsOrigins,
    proxyHops: config.http.trustProxy ? config.http.proxyHops : 0,
    tokens: config.node.api.auth.required,
    bodyLimitBytes: config.node.bodyLimitBytes,
    logger: deps.logger,
  })
  return {
    api,
    chains,
    pools,
    discover: async (signal) => {
      if (network) await learnAll([() => chains.refresh(), () => forwarder.learnNodeId(signal)], signal)
    },
    serve: (blockchainId, upstreams, evmChainId) => {
      if (chains.primaryOf(blockchainId) !== undefined) return
      evmIds.set(blockchainId, evmChainId)
      evm[blockchainId] = specsBeside(nodes, upstreams)
      pools.forget(blockchainId)
      chains.add(blockchainId)
    },
    machines: async (signal) => {
      const listed = await listChains(pools, signal).catch(() => [])
      return new Map(listed.flatMap(({ id, vmID }) => (vmID === undefined ? [] : [[id, vmID] as const])))
    },
    indexed: createOnIndexed({ side, evm, evmIds, shown: { primary: forwarder.shown, l1: ownEvm.shown } }),
    hangUp: ownEvm.hangUp,
    close: () => pools.close(),
  }
}

/** The nodes and EVM endpoints, what is known of their newest blocks, and the forwarder to them. */
function createForwarding(
  config: Config,
  deps: Pick<ServerNodeDeps, 'pool' | 'metrics' | 'sharing'> & {
    nodes: readonly UpstreamSpec[]
    evm: Readonly<Record<string, readonly UpstreamSpec[]>>
    networks: NodePoolsDeps['networks']
    peers: PeerProcesses | undefined
  },
): { pools: NodePools; tips: ChainTips; forwarder: Forwarder } {
  const { node, upstream } = config
  const pools = createNodePools({
    nodes: deps.nodes,
    evm: deps.evm,
    ...(node.identity === undefined ? {} : { identity: node.identity }),
    limits: limitsOf(config),
    deps: deps.pool,
    networks: deps.networks,
  })
  const tips = createChainTips({ pools, maxLagBlocks: upstream.maxLagBlocks, peers: deps.peers })
  const forwarder = createForwarder({
    pools,
    tips,
    writePolicy: node.writePolicy,
    cache: { bytes: node.cacheBytes, entries: CACHE_ENTRIES, onHit: deps.metrics?.nodeCache('forward') },
    tipCacheMs: node.tipCacheMs,
    blockHeight,
    sharedHosts: deps.sharing?.values,
    peers: deps.peers,
  })
  return { pools, tips, forwarder }
}

/** Retries at growing intervals until each has succeeded or the signal fires. */
async function learnAll(lessons: readonly (() => Promise<boolean>)[], signal: AbortSignal): Promise<void> {
  for (let wait = FIRST_RETRY_MS; !signal.aborted; wait = Math.min(wait * 2, LAST_RETRY_MS)) {
    const learnt = await Promise.all(lessons.map((learn) => learn()))
    if (learnt.every(Boolean)) return
    await pause(wait, signal)
  }
}
