import { Type } from '@sinclair/typebox'
import { choice, list, ms, section, toggle, url, wait } from './field.ts'

/** Settings of Firn's own index and its storage. */
export const IndexSection = section({
  enabled: toggle(false, 'Index P, X and C (and the streams named) into the store.'),
  allowIncomplete: toggle(false, 'Start even if an index that ran before is now switched off.'),
  maxIndexAgeMs: ms(300_000, 'Indexed answers older than this are 503 instead.'),
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
      'Value that contracts send inside EVM transactions. auto: indexed if nodes have `debug_traceBlockByNumber`; required: nothing is indexed without it; off: never read.',
  }),
  genesis: choice(['file', 'infer'], {
    default: 'file',
    description: 'Genesis allocations. file: from genesisFile if it verifies; infer: always inferred from the chain.',
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
      'How one indexer excludes the others. session: a lock of its database session; lease: a lease in a row, for poolers and databases whose locks have no effect.',
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
      description:
        'Redis-compatible server through which several processes share limits, prices and what clients were told; left out = each process by itself.',
    }),
  ),
  cluster: toggle(false, 'The URL is one of the nodes of a cluster.'),
  nodes: list(
    Type.String({ pattern: NODE, allowed: 'host:port' }),
    'Further nodes of the cluster, for starts while the node of the URL is away; same credentials and encryption as in the URL.',
  ),
  keyPrefix: Type.String({ default: 'firn:', description: 'Prefix of every key.' }),
  timeoutMs: wait(250, 'Longest wait for Redis; then the process goes on without it.'),
})
