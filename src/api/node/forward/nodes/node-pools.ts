import { HEIGHT_CALLS, type HeightCall } from '../../../../facts/height-calls.ts'
import type { ChainLetter } from '../../../../facts/primary-network.ts'
import { urlBelow } from '../../../../lib/http/url-below.ts'
import {
  createUpstreamPool,
  type HeadProbe,
  type IdentityProbe,
  type PoolLimits,
  type UpstreamPool,
  type UpstreamPoolDeps,
  type UpstreamSpec,
} from '../../../../upstream/index.ts'
import type { Endpoint, Source } from '../../routes/endpoint.ts'
import { createEmptyPool } from './empty-pool.ts'
import { spareGroup } from './spare-group.ts'

/** A single node: for writes, for questions about the node, and for calls that must not run in parallel. */
export interface Member {
  host: string
  pool: UpstreamPool
  /** Path of an endpoint at this node. */
  path(endpoint: Endpoint): string
  /** When its rate limit ends, milliseconds of `Date.now()`; 0 = it is not rate limited. */
  pausedUntil(): number
}

/** The nodes that serve one source, together and individually. */
export interface NodeGroup {
  pool: UpstreamPool
  /** How each node's network is verified; left out = nodes are trusted. */
  network?: IdentityProbe | undefined
  path(endpoint: Endpoint): string
  /** Of all its nodes. */
  hosts: readonly string[]
  /**
   * Healthy ones first, then by priority and in the order of the configuration; rate-limited ones last, the shortest
   * wait first.
   */
  members(): readonly Member[]
}

/** All nodes behind /ext. */
export interface NodePools {
  group(source: Source): NodeGroup
  /** The node whose identity this server shows. */
  readonly identity: Member
  /** Every pool that is open. */
  pools(): readonly UpstreamPool[]
  /** Calls the listener with the pool of a chain that was reset, as on test networks: nothing is final any more. */
  onReset(listener: (pool: UpstreamPool) => void): void
  /** The upstreams of a chain have changed: its pools are recreated. Calls under way get their answers from the old. */
  forget(blockchainId: string): void
  close(): Promise<void>
}

/** How servers of another network are detected. */
export interface Networks {
  nodes?: IdentityProbe | undefined
  /** EVM endpoints by blockchain id (`C` for the C-chain's). */
  evm(blockchainId: string): IdentityProbe | undefined
}

export interface NodePoolsDeps {
  /** Base URLs of nodes: paths such as /ext/bc/P are appended. */
  nodes: readonly UpstreamSpec[]
  /** EVM endpoints by cb58 blockchain id (`C` for the C-chain's), in addition to the nodes' own. */
  evm: Readonly<Record<string, readonly UpstreamSpec[]>>
  /** Host of the identity node; left out: the first node. */
  identity?: string
  limits: PoolLimits
  deps: Omit<UpstreamPoolDeps, 'headProbe' | 'identity' | 'onReset'>
  /** How networks of several servers are verified; left out = servers are trusted. */
  networks?: Networks | undefined
}

const PROBE_MS = 5_000

const probeOf = (call: HeightCall, parse: HeadProbe['parse']): HeadProbe => ({ ...call, parse, intervalMs: PROBE_MS })

const heightOf = (result: unknown): bigint => BigInt(String((result as { height?: unknown } | null)?.height))
const quantityOf = (result: unknown): bigint => BigInt(String(result))

const PROBES: Readonly<Record<ChainLetter | 'C/rpc', HeadProbe>> = {
  P: probeOf(HEIGHT_CALLS.P, heightOf),
  X: probeOf(HEIGHT_CALLS.X, heightOf),
  C: probeOf(HEIGHT_CALLS.C, quantityOf),
  'C/rpc': probeOf({ ...HEIGHT_CALLS.C, path: '' }, quantityOf),
}

const hostOf = ({ name, url }: UpstreamSpec): string => name ?? new URL(url).host

const at = (spec: UpstreamSpec, path: string): UpstreamSpec => ({ ...spec, url: urlBelow(spec.url, path) })

/** One for each URL, with the settings that are named last and the name that is given first. */
const unique = (specs: readonly UpstreamSpec[]): UpstreamSpec[] => {
  const byUrl = new Map<string, UpstreamSpec>()
  for (const spec of specs) byUrl.set(spec.url, { ...spec, name: hostOf(byUrl.get(spec.url) ?? spec) })
  return [...byUrl.values()]
}

const RPC_OF_NODE = /(?<=^[^?#]*\/ext\/bc\/[^/?#]+\/)rpc(?=$|\?)/

/** A node's `/ext/bc/<chain>/rpc` is one of several endpoints of that chain; other servers have no known siblings. */
const siblings = (specs: readonly UpstreamSpec[], extension: string): UpstreamSpec[] =>
  specs
    .filter(({ url }) => RPC_OF_NODE.test(url))
    .map((spec) => ({ ...spec, url: spec.url.replace(RPC_OF_NODE, () => extension) }))

interface Plan {
  specs: UpstreamSpec[]
  probe: HeadProbe | undefined
  network?: IdentityProbe | undefined
  /** The upstreams' URLs are the endpoint's own. */
  whole: boolean
}

/** A single server is not verified: there is nothing to compare it with. */
const ofSeveral = (specs: readonly UpstreamSpec[], network: IdentityProbe | undefined) =>
  specs.length > 1 ? network : undefined

function planOf(source: Source, { nodes, evm, networks }: NodePoolsDeps): Plan {
  if (source === 'C/rpc') {
    const specs = unique([...nodes.map((node) => at(node, '/ext/bc/C/rpc')), ...(evm['C'] ?? [])])
    return { specs, probe: PROBES['C/rpc'], network: ofSeveral(specs, networks?.evm('C')), whole: true }
  }
  if (typeof source === 'string')
    return { specs: [...nodes], probe: PROBES[source], network: ofSeveral(nodes, networks?.nodes), whole: false }
  const { blockchainId, extension } = source
  const own = evm[blockchainId] ?? []
  const atNodes = nodes.map((node) => at(node, `/ext/bc/${blockchainId}${extension === '' ? '' : `/${extension}`}`))
  if (extension !== 'rpc' && extension !== 'ws')
    return { specs: unique([...siblings(own, extension), ...atNodes]), probe: undefined, whole: true }
  const rpc = nodes.map((node) => at(node, `/ext/bc/${blockchainId}/rpc`))
  const specs = unique([...own, ...rpc])
  return { specs, probe: PROBES['C/rpc'], network: ofSeveral(specs, networks?.evm(blockchainId)), whole: true }
}

const keyOf = (source: Source): string =>
  typeof source === 'string' ? source : `${source.blockchainId}/${source.extension}`

/** Chains and extensions with pools of their own at a time; callers may ask for any extension. */
const MAX_GROUPS = 500

interface OwnGroup extends NodeGroup {
  /** A client waits for an answer. */
  isBusy(): boolean
  close(): Promise<void>
}

/** A retired group is closed once nobody waits for it; looked at this often, milliseconds. */
const RETIRED_LOOK_MS = 250

/** Creates pools on demand; pools of one server share its connections. */
export function createNodePools(options: NodePoolsDeps): NodePools {
  const { limits, deps, nodes, evm } = options
  const [first] = nodes
  /** Least recently used first, for the groups that callers can create. */
  const groups = new Map<string, OwnGroup>()
  const open = new Set<UpstreamPool>()
  const retired = new Map<OwnGroup, NodeJS.Timeout>()
  const resetListeners: ((pool: UpstreamPool) => void)[] = []
  const make = (
    name: string,
    specs: readonly UpstreamSpec[],
    own: Partial<PoolLimits>,
    { probe, network, whole = false }: Partial<Pick<Plan, 'probe' | 'network' | 'whole'>> = {},
  ) => {
    if (specs.length === 0) return createEmptyPool(name)
    const probes = { ...(probe && { headProbe: probe }), ...(network && { identity: network }) }
    const onReset = (): void => {
      for (const listener of resetListeners) listener(pool)
    }
    const pool = createUpstreamPool(
      name,
      specs,
      { ...limits, ...own },
      { ...deps, ...probes, onReset, onePlace: whole },
    )
    open.add(pool)
    return pool
  }
  const member = (
    spec: UpstreamSpec,
    { whole, network }: Pick<Plan, 'whole' | 'network'>,
    name: string,
    own: Partial<PoolLimits>,
  ): Member => {
    const host = hostOf(spec)
    const pool = make(`${name} at ${host}`, [spec], own, { network, whole })
    return {
      host,
      pool,
      path: ({ path }) => (whole ? '' : path),
      pausedUntil: () => pool.status()[0]?.pausedUntil ?? 0,
    }
  }
  const createGroup = (source: Source): OwnGroup => {
    const plan = planOf(source, options)
    const { whole } = plan
    // As the pool asks them: whoever chooses a node goes by this order.
    const specs = [...plan.specs].sort((a, b) => (a.priority ?? 0) - (b.priority ?? 0))
    const name = `node ${keyOf(source)}`
    const pool = make(name, specs, {}, plan)
    let single: Member[] | undefined
    return {
      pool,
      network: plan.network,
      path: ({ path }) => (whole ? '' : path),
      hosts: specs.map(hostOf),
      members: () => {
        // One attempt each: the code that writes decides what comes next.
        single ??= specs.map((spec) => member(spec, plan, name, { maxAttempts: 1, hedgeMinMs: 0 }))
        const states = pool.status()
        const healthy = (index: number): boolean => states[index]?.healthy !== false
        const inOrder = [
          ...single.filter((_, index) => healthy(index)),
          ...single.filter((_, index) => !healthy(index)),
        ]
        const waits = new Map(inOrder.map((one) => [one, one.pausedUntil()]))
        return inOrder.sort((a, b) => (waits.get(a) ?? 0) - (waits.get(b) ?? 0))
      },
      isBusy: () => [pool, ...(single ?? []).map((one) => one.pool)].some((one) => one.isAsked()),
      close: async () => {
        const pools = [pool, ...(single ?? []).map((one) => one.pool)]
        for (const one of pools) open.delete(one)
        await Promise.all(pools.map((one) => one.close()))
      },
    }
  }
  const mayGo = (key: string): boolean => {
    const [chain = '', extension] = key.split('/')
    // Groups of the primary network or of the configuration stay: callers cannot create them.
    return extension !== undefined && key !== 'C/rpc' && !(evm[chain] && (extension === 'rpc' || extension === 'ws'))
  }
  const giveUpOne = (): void => {
    const spare = spareGroup(groups, mayGo)
    if (spare === undefined) return
    void groups.get(spare)?.close()
    groups.delete(spare)
  }
  const retire = (group: OwnGroup): void => {
    const closeIfIdle = (): void => {
      if (group.isBusy()) return
      clearInterval(retired.get(group))
      retired.delete(group)
      void group.close()
    }
    retired.set(group, setInterval(closeIfIdle, RETIRED_LOOK_MS).unref())
    closeIfIdle()
  }
  const identitySpec = nodes.find((spec) => hostOf(spec) === options.identity) ?? first
  const identity: Member = identitySpec
    ? member(identitySpec, { whole: false }, 'node identity', { hedgeMinMs: 0 })
    : { host: '', pool: createEmptyPool('node identity'), path: ({ path }) => path, pausedUntil: () => 0 }
  return {
    group: (source) => {
      const key = keyOf(source)
      const known = groups.get(key)
      if (known && typeof source === 'string') return known
      if (known) groups.delete(key)
      else if (groups.size >= MAX_GROUPS) giveUpOne()
      const group = known ?? createGroup(source)
      groups.set(key, group)
      return group
    },
    identity,
    pools: () => [...open],
    onReset: (listener) => {
      resetListeners.push(listener)
    },
    forget: (blockchainId) => {
      for (const [key, group] of groups) {
        if (!key.startsWith(`${blockchainId}/`)) continue
        groups.delete(key)
        retire(group)
      }
    },
    close: async () => {
      for (const timer of retired.values()) clearInterval(timer)
      const all = [...groups.values(), ...retired.keys()]
      await Promise.all([identity.pool.close(), ...all.map((group) => group.close())])
    },
  }
}
