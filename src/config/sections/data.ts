import { Type } from '@sinclair/typebox'
import { DATA_OPERATIONS } from '../../schemas/index.ts'
import { choice, count, list, ms, secret, section, toggle, url } from './field.ts'

const PlanSchema = section({
  computeUnitsPerMinute: count(10_000_000, 'Compute units per minute.'),
  computeUnitsPerDay: count(10_000_000_000, 'Compute units per day.'),
  operations: list(
    choice(DATA_OPERATIONS),
    'Operations (their operationId) that may be called; empty = all. live-check may always be, without a key.',
  ),
})

const ApiKeySchema = section({
  key: secret('Value of x-glacier-api-key, or `sha256:` and the hex digest of it.', {
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
  ipfsGateway: gateway('https://ipfs.io/ipfs/', 'Gateway for ipfs:// URIs; CID and path are put behind it.'),
  arweaveGateway: gateway('https://arweave.net/', 'Gateway for ar:// URIs; transaction and path are put behind it.'),
  allowedAddresses: list(
    Type.String({
      pattern: '^(\\d{1,3}(\\.\\d{1,3}){3}|\\[[0-9a-f:.]+\\]):\\d{1,5}$',
      allowed: 'an IP address with a port, such as 10.0.0.7:8080 or [fd00::7]:8080',
    }),
    'Private addresses that are fetched from all the same, for example an own gateway. Every path there can then be asked for by whoever writes a token URI.',
  ),
})

/** Settings of the indexed REST API under /v1. */
export const DataSection = section({
  pathPrefix: Type.String({
    // Everything below /ext goes to nodes.
    pattern: '^(?!/ext(/|$))(/[-._~a-zA-Z0-9]+)*$',
    allowed: 'empty, or a path such as /api without a slash at its end, none below /ext',
    default: '',
    description: 'Path put in front of the indexed API.',
  }),
  keyRequired: toggle(false, 'Refuse requests without a known key; live-check, which load balancers ask, needs none.'),
  apiKeys: list(
    ApiKeySchema,
    'Known keys and their plans; a key as it is sent, or `sha256:` and the hex digest of it.',
  ),
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
