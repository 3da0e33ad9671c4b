import { Type } from '@sinclair/typebox'
import { DATA_OPERATIONS } from '../../schemas/index.ts'
import { choice, count, list, ms, secret, section, toggle, url } from './field.ts'

const PlanSchema = section({
  computeUnitsPerMinute: count(10_000_000, 'Compute units per minute.'),
  computeUnitsPerDay: count(10_000_000_000, 'Compute units per day.'),
  operations: list(
    choice(DATA_OPERATIONS),
    'Operations (by operationId) that may be called; empty = all. live-check is always allowed, without a key.',
  ),
})

const ApiKeySchema = section({
  key: secret('Value of x-glacier-api-key, or `sha256:` and its hex digest.', {
    pattern: '^(?!sha256:)|^sha256:[0-9a-fA-F]{64}$',
    allowed: 'a key, or sha256: and 64 hex digits',
  }),
  plan: Type.String({ minLength: 1, default: 'default', description: 'Name of one of the plans.' }),
})

const gateway = (place: string, description: string) =>
  url(['https', 'http'], {
    // URLs that strangers name are fetched without credentials.
    pattern: '^https?://[^\\s/?#@]+(/[^\\s?#]*)?/$',
    allowed: 'an http or https URL without user and password that ends in a slash',
    default: place,
    description,
  })

/** Fetching of NFT metadata from URLs that strangers name. */
const NftMetadataSection = section({
  ipfsGateway: gateway('https://ipfs.io/ipfs/', 'Gateway for ipfs:// URIs; CID and path are appended.'),
  arweaveGateway: gateway('https://arweave.net/', 'Gateway for ar:// URIs; transaction and path are appended.'),
  allowedAddresses: list(
    Type.String({
      pattern: '^(\\d{1,3}(\\.\\d{1,3}){3}|\\[[0-9a-f:.]+\\]):\\d{1,5}$',
      allowed: 'an IP address with a port, such as 10.0.0.7:8080 or [fd00::7]:8080',
    }),
    'Private addresses that metadata may be fetched from, for example your own gateway. Whoever writes a token URI can then request any path there.',
  ),
})

/** Settings of the indexed REST API under /v1. */
export const DataSection = section({
  pathPrefix: Type.String({
    // Everything below /ext goes to nodes.
    pattern: '^(?!/ext(/|$))(/[-._~a-zA-Z0-9]+)*$',
    allowed: 'empty, or a path such as /api without a slash at its end, none below /ext',
    default: '',
    description: 'Path prefix of the indexed API.',
  }),
  keyRequired: toggle(false, 'Refuse requests without a known key; live-check, which load balancers use, needs none.'),
  apiKeys: list(ApiKeySchema, 'Known keys and their plans; a key as clients send it, or `sha256:` and its hex digest.'),
  plans: Type.Record(Type.String({ pattern: '^[-_a-zA-Z0-9]+$' }), PlanSchema, {
    additionalProperties: false,
    default: { default: { computeUnitsPerMinute: 10_000_000, computeUnitsPerDay: 10_000_000_000, operations: [] } },
    description: 'Rate plans by name; "default" is for requests without a key.',
    allowed: 'an object keyed by plan names',
  }),
  balanceEdge: choice(['strict', 'inclusive'], {
    default: 'strict',
    description:
      'blockTimestamp: strict leaves out what was created in that very second, as the hosted service does; inclusive has it, as a node.',
  }),
  reindexCooldownMs: ms(3_600_000, 'Time before an NFT may be reindexed again.'),
  nftMetadata: NftMetadataSection,
})
