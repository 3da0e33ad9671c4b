/** The dialect of an endpoint. `http`: not JSON-RPC (health by GET, metrics); `any`: unknown, forwarded unchanged. */
import type { ChainLetter } from '../../../facts/primary-network.ts'
import { encodePath } from '../http/target.ts'
export type Dialect = 'gorilla' | 'evm' | 'ws' | 'http' | 'any'

/**
 * Which set of nodes answers: by chain, because a node may lag on one chain only. `node` = P's, for what belongs to no
 * chain. `extension` as written in a URL.
 */
export type Source = ChainLetter | 'C/rpc' | { blockchainId: string; extension: string }

/** Something served under /ext. */
export interface Endpoint {
  /** Canonical name, the key of the method table: `info`, `P`, `C/rpc`, `index/X/block`; `L1/rpc` for every L1. */
  name: string
  dialect: Dialect
  /** Path at a node. */
  path: string
  source: Source
}

const INDEX_NAMES = ['index/P/block', 'index/X/block', 'index/C/block', 'index/X/tx', 'index/X/vtx'] as const

const indexSource = (name: string): Source => (name.charAt(6) === 'X' ? 'X' : name.charAt(6) === 'C' ? 'C' : 'P')

const entry = (name: string, dialect: Dialect, source: Source = 'P', path = `/ext/${name}`): [string, Endpoint] => [
  name,
  { name, dialect, path, source },
]

/** What every node serves in addition to its chains. */
export const FIXED: ReadonlyMap<string, Endpoint> = new Map([
  entry('info', 'gorilla'),
  entry('health', 'gorilla'),
  entry('health/health', 'http'),
  entry('health/readiness', 'http'),
  entry('health/liveness', 'http'),
  entry('metrics', 'http'),
  ...INDEX_NAMES.map((name) => entry(name, 'gorilla', indexSource(name))),
])

/** Endpoints of the primary network's chains, by the part of the path after the chain. */
export const PRIMARY: Readonly<Record<ChainLetter, ReadonlyMap<string, Endpoint>>> = {
  P: new Map([
    ['', entry('P', 'gorilla', 'P', '/ext/bc/P')[1]],
    ['proposervm', entry('P/proposervm', 'gorilla', 'P', '/ext/bc/P/proposervm')[1]],
  ]),
  X: new Map([
    ['', entry('X', 'gorilla', 'X', '/ext/bc/X')[1]],
    ['wallet', entry('X/wallet', 'gorilla', 'X', '/ext/bc/X/wallet')[1]],
  ]),
  C: new Map([
    ['rpc', entry('C/rpc', 'evm', 'C/rpc', '/ext/bc/C/rpc')[1]],
    ['ws', entry('C/ws', 'ws', 'C/rpc', '/ext/bc/C/ws')[1]],
    ['avax', entry('C/avax', 'gorilla', 'C', '/ext/bc/C/avax')[1]],
    ['proposervm', entry('C/proposervm', 'gorilla', 'C', '/ext/bc/C/proposervm')[1]],
  ]),
}

const L1_DIALECTS: ReadonlyMap<string, Dialect> = new Map([
  ['rpc', 'evm'],
  ['ws', 'ws'],
  ['validators', 'gorilla'],
  ['proposervm', 'gorilla'],
  ['avax', 'gorilla'],
])

/**
 * Any extension of another chain is forwarded, because its virtual machine defines what it serves. Its `admin` is not:
 * it changes one node and may profile it to death, so nobody may call it through a pool.
 */
export function chainEndpoint(blockchainId: string, extension: string): Endpoint | undefined {
  if (extension === 'admin' || extension.endsWith('/')) return undefined
  // Encoded as it was received: decoded, `admin#`, `admin?` and `%61dmin` would be the node's admin.
  const written = encodePath(extension)
  return {
    name: extension === '' ? 'L1' : `L1/${extension}`,
    dialect: L1_DIALECTS.get(extension) ?? 'any',
    path: `/ext/bc/${blockchainId}${written === '' ? '' : `/${written}`}`,
    source: { blockchainId, extension: written },
  }
}

const BY_NAME: ReadonlyMap<string, Endpoint> = new Map([
  ...FIXED,
  ...Object.values(PRIMARY).flatMap((endpoints) =>
    [...endpoints.values()].map((endpoint) => [endpoint.name, endpoint] as const),
  ),
])

/** An endpoint of the node or the primary network by its canonical name. */
export const endpointByName = (name: string): Endpoint | undefined => BY_NAME.get(name)

/** Path of the chain whose state an endpoint shows: what an index lists are blocks of its chain. */
export const chainPathOf = ({ name, path, source }: Endpoint): string =>
  name.startsWith('index/') && (source === 'P' || source === 'X') ? `/ext/bc/${source}` : path

/** An endpoint that exists because this server answers it: `admin`, `openrpc.json`. */
export const ownEndpoint = (name: string, dialect: 'gorilla' | 'http'): Endpoint => entry(name, dialect)[1]
