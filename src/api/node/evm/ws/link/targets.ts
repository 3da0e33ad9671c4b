import { splitCredentials } from '../../../../../lib/http/url-credentials.ts'
import { createOwnKeys, type UpstreamSpec } from '../../../../../upstream/index.ts'
import type { NodePools } from '../../../forward/nodes/node-pools.ts'
import type { Endpoint } from '../../../routes/endpoint.ts'
import type { SocketTarget } from './upstream-link.ts'

export interface SocketTargetsDeps {
  pools: NodePools
  /** Base URLs of nodes. */
  nodes: readonly UpstreamSpec[]
  /** EVM endpoints by cb58 blockchain id (`C` for the C-chain's), in addition to the nodes' own. */
  evm: Readonly<Record<string, readonly UpstreamSpec[]>>
  isBehind(endpoint: Endpoint, host: string): boolean
}

/** The same place over WebSocket: a node's `rpc` has a `ws` beside it, most other servers accept both at one URL. */
function targetOf({ url, name, headers = {} }: UpstreamSpec, path: string): SocketTarget {
  const target = new URL(url)
  target.pathname = (target.pathname.replace(/\/+$/, '') + path).replace(/\/rpc$/, '/ws')
  target.protocol = target.protocol === 'https:' ? 'wss:' : 'ws:'
  const plain = splitCredentials(target.href)
  const { hide } = createOwnKeys(url, headers)
  return { host: name ?? target.host, url: plain.url, headers: { ...headers, ...plain.headers }, hide }
}

const chainOf = ({ source }: Endpoint): string => (typeof source === 'string' ? 'C' : source.blockchainId)

/** WebSocket targets of a chain, the best first: in the pools' order, nodes known to lag last. */
export function createSocketTargets({ pools, nodes, evm, isBehind }: SocketTargetsDeps) {
  return (endpoint: Endpoint): readonly SocketTarget[] => {
    const own = (evm[chainOf(endpoint)] ?? []).map((spec) => targetOf(spec, ''))
    const targets = [...nodes.map((node) => targetOf(node, endpoint.path)), ...own]
    const { network, members } = pools.group(endpoint.source)
    const order = members().map(({ host }) => host)
    const rank = ({ host }: SocketTarget): number =>
      (isBehind(endpoint, host) ? order.length + 1 : 0) + (order.includes(host) ? order.indexOf(host) : order.length)
    return targets.sort((a, b) => rank(a) - rank(b)).map((target) => ({ ...target, network }))
  }
}
