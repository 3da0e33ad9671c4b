import { Type } from '@sinclair/typebox'
import { choice, list, ms, section, toggle, url, wait } from './field.ts'

/** Settings of Firn's own index and its storage. */
export const IndexSection = section({
  enabled: toggle(false, 'Index P, X and C (and the streams named) into the store.'),
  allowIncomplete: toggle(false, 'Start although an index that ran before is switched off.'),
  maxIndexAgeMs: ms(300_000, 'Indexed answers staler than this are refused with 503.'),
  streams: list(
    Type.String({
      pattern: '^((mainnet|testnet):[PXC]|eip155:[0-9]+)$',
      allowed: 'mainnet:P, testnet:X, eip155:53935 and the like',
    }),
    'What is indexed, and nothing else; empty = P, X and C of every configured network.',
  ),
  traces: choice(['auto', 'required', 'off'], {
    default: 'auto',
    description:
      'What contracts send inside of EVM transactions: read where nodes have `debug_traceBlockByNumber`, or nothing indexed without it, or never.',
  }),
  genesis: choice(['file', 'infer'], {
    default: 'file',
    description: 'Genesis allocations: from genesisFile when it verifies, or always inferred from the chain.',
  }),
})

export const StoreSection = section({
  databaseUrl: Type.Optional(
    url(['postgres', 'postgresql'], {
      // A socket has no host: postgres:///firn?host=/run/postgresql
      pattern: '^(postgres|postgresql)://([^\\s/?#]+\\S*|/\\S*[?&]host=\\S+)$',
      env: 'DATABASE_URL',
      description: 'Postgres server; left out = embedded database.',
    }),
  ),
  leader: choice(['session', 'lease'], {
    default: 'session',
    description:
      'How one indexer keeps others out: a lock of its database session, or a lease in a row (poolers, locks that do nothing).',
  }),
  dataDir: Type.Optional(
    Type.String({ minLength: 1, description: 'Folder of the embedded database; left out = store in dataDir.' }),
  ),
})

/** A name or an address, IPv6 in brackets, and a port. */
const NODE = '^(\\[[0-9a-fA-F:.]+\\]|[^\\s:/@]+):[0-9]{1,5}$'

export const RedisSection = section({
  url: Type.Optional(
    url(['redis', 'rediss'], {
      description: 'Redis-compatible server: several processes share limits and prices; left out = each its own.',
    }),
  ),
  cluster: toggle(false, 'The URL is one of the nodes of a cluster.'),
  nodes: list(
    Type.String({ pattern: NODE, allowed: 'host:port' }),
    'Further nodes of the cluster, with the credentials and the encryption of the URL: asked at a start while that of the URL is away.',
  ),
  keyPrefix: Type.String({ default: 'firn:', description: 'Put in front of every key.' }),
  timeoutMs: wait(250, 'An answer later than this counts as none, and the process goes on alone.'),
})
