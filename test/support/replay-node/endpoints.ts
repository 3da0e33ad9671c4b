import type { PrimaryAlias, RecordedNetwork } from './recorded/recorded-network.ts'

export type EndpointKind =
  | 'info'
  | 'health'
  | 'health/health'
  | 'health/readiness'
  | 'health/liveness'
  | 'metrics'
  | `index/${PrimaryAlias}/block`
  | 'index/X/tx'
  | 'index/X/vtx'
  | 'P'
  | 'X'
  | 'X/wallet'
  | 'C/rpc'
  | 'C/ws'
  | 'C/avax'
  | 'L1/rpc'
  | 'L1/ws'
  | 'L1/validators'
  | 'P/proposervm'
  | 'C/proposervm'
  | 'L1/proposervm'

const FIXED = new Set<string>([
  'info',
  'health',
  'health/health',
  'health/readiness',
  'health/liveness',
  'metrics',
  'index/P/block',
  'index/X/block',
  'index/C/block',
  'index/X/tx',
  'index/X/vtx',
])

const EXTENSIONS: Record<PrimaryAlias | 'L1', Record<string, EndpointKind>> = {
  P: { '': 'P', proposervm: 'P/proposervm' },
  X: { '': 'X', wallet: 'X/wallet' },
  C: { rpc: 'C/rpc', ws: 'C/ws', avax: 'C/avax', proposervm: 'C/proposervm' },
  L1: { rpc: 'L1/rpc', ws: 'L1/ws', validators: 'L1/validators', proposervm: 'L1/proposervm' },
}

function chainOf(network: RecordedNetwork, alias: string): PrimaryAlias | 'L1' | undefined {
  const id = network.lookup(alias)
  if (id === undefined) return undefined
  if (id === network.l1?.blockchainID) return 'L1'
  const aliases: readonly PrimaryAlias[] = ['P', 'X', 'C']
  return aliases.find((name) => network.chains[name] === id)
}

/** The endpoint behind a decoded path; undefined = 404. Chains answer at `bc/<id or alias>` and at `<alias>`. */
export function endpointAt(network: RecordedNetwork, path: string): EndpointKind | undefined {
  if (!path.startsWith('/ext/')) return undefined
  const rest = path.slice(5)
  if (FIXED.has(rest)) return rest as EndpointKind
  const segments = rest.split('/')
  const direct = segments[0] !== 'bc'
  const [alias, extension = '', ...more] = direct ? segments : segments.slice(1)
  if (alias === undefined || more.length > 0 || (extension === '' && rest.endsWith('/'))) return undefined
  // Only the primary chains have a path of their own beside `bc`, and only by alias.
  if (direct && network.lookup(alias) === alias) return undefined
  const chain = chainOf(network, alias)
  if (chain === undefined) return undefined
  const kinds = EXTENSIONS[chain]
  return Object.hasOwn(kinds, extension) ? kinds[extension] : undefined
}
