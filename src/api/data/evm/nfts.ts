import { type Static, Type } from '@sinclair/typebox'
import { getAddress } from 'viem/utils'
import { BadInputError, FirnError, NotFoundError } from '../../../errors.ts'
import { defined } from '../../../lib/defined.ts'
import type { IndexReader, NftMetadataRecords, NftToken } from '../../../store/index.ts'
import { queryMark, readPageToken, writePageToken } from '../page-token.ts'
import type { DataRoute } from '../route.ts'
import { answers, closed, errorResponses, NextPageTokenSchema, oneOf, pagingQuery } from '../schemas.ts'
import { contractAddress, evmChainId } from './chain.ts'
import { type EvmFreshnessDeps, requireFreshChain } from './freshness.ts'

const optional = Type.Optional
const text = Type.String()

const STATUSES = [
  'UNKNOWN',
  'MISSING_TOKEN',
  'INVALID_TOKEN_URI',
  'INVALID_TOKEN_URI_SCHEME',
  'UNREACHABLE_TOKEN_URI',
  'THROTTLED_TOKEN_URI',
  'METADATA_CONTENT_TOO_LARGE',
  'INVALID_METADATA',
  'INVALID_METADATA_JSON',
  'INDEXED',
  'UNINDEXED',
] as const

const metadata = {
  indexStatus: oneOf(STATUSES, { title: 'NftTokenMetadataStatus' }),
  metadataLastUpdatedTimestamp: optional(Type.Number({ description: 'Unix seconds of the last attempt.' })),
  name: optional(text),
  symbol: optional(text),
  imageUri: optional(text),
  description: optional(text),
  animationUri: optional(text),
  externalUrl: optional(text),
  background: optional(text),
}
const JSON_TEXT = Type.String({ description: 'JSON as text.' })
const Erc721Schema = closed('Erc721Token', {
  address: text,
  name: text,
  symbol: text,
  ercType: Type.Literal('ERC-721'),
  tokenId: text,
  tokenUri: text,
  metadata: closed('Erc721TokenMetadata', { ...metadata, attributes: optional(JSON_TEXT) }),
  ownerAddress: optional(text),
})
const Erc1155Schema = closed('Erc1155Token', {
  address: text,
  ercType: Type.Literal('ERC-1155'),
  tokenId: text,
  tokenUri: text,
  metadata: closed('Erc1155TokenMetadata', {
    ...metadata,
    decimals: optional(Type.Number()),
    properties: optional(JSON_TEXT),
  }),
})

/** Generated clients choose the type by the member that the specification names. */
const TokenSchema = Type.Union([Erc721Schema, Erc1155Schema], {
  discriminator: {
    propertyName: 'ercType',
    mapping: { 'ERC-721': '#/components/schemas/Erc721Token', 'ERC-1155': '#/components/schemas/Erc1155Token' },
  },
})

const CollectionParams = Type.Object({
  chainId: Type.String({ description: 'EVM chain id or blockchain id.' }),
  address: Type.String({ description: 'Contract.' }),
})
const TokenParams = Type.Composite([
  CollectionParams,
  Type.Object({ tokenId: Type.String({ description: 'Decimal.' }) }),
])
const ListQuery = Type.Object(pagingQuery())

const collection = '/v1/chains/:chainId/nfts/collections/:address/tokens'
const tag = 'NFTs'

export interface NftDeps extends EvmFreshnessDeps {
  index: IndexReader
  metadata: NftMetadataRecords
  reindexCooldownMs: number
}

/** The hosted service's message, with a status and a header that say when to retry. */
class CoolDownError extends FirnError {
  constructor() {
    super('Nft has been recently indexed', { code: 'COOL_DOWN', status: 429, expose: true })
  }
}

/** Tokens of a collection, one token, and the request to fetch its metadata again. */
export const nftRoutes = (deps: NftDeps): DataRoute[] => [reindexRoute(deps), listRoute(deps), tokenRoute(deps)]

function reindexRoute(deps: NftDeps): DataRoute {
  return {
    method: 'POST',
    // A plain `:tokenId::reindex` would be one parameter of that odd name.
    url: `${collection}/:tokenId(^[^:/]+)::reindex`,
    operationId: 'reindexNft',
    tag,
    summary: 'Reindex NFT metadata',
    description: 'Once per hour and token; 429 with `retry-after` in between.',
    weight: 'small',
    params: TokenParams,
    response: { 201: { description: 'Accepted; no body.', type: 'null' }, ...errorResponses },
    async handle(request, reply) {
      const { chainId, contract, tokenId } = await tokenOf(deps, request.params as Static<typeof TokenParams>)
      const seconds = Math.ceil(deps.reindexCooldownMs / 1000)
      const outcome = await deps.metadata.requestReindex({ chainId, contract, tokenId }, seconds).catch(whereNothingIs)
      if (!outcome.found) {
        // The token may have been created after the block at which a lagging index stands.
        await requireFreshChain(deps, chainId, reply)
        throw new NotFoundError('the token is not known')
      }
      if (outcome.retryAfterSeconds !== undefined) {
        reply.header('retry-after', String(outcome.retryAfterSeconds))
        throw new CoolDownError()
      }
      return reply.code(201).send()
    },
  }
}

function listRoute(deps: NftDeps): DataRoute {
  return {
    method: 'GET',
    url: collection,
    operationId: 'listTokens',
    tag,
    summary: 'List tokens',
    weight: 'medium',
    params: CollectionParams,
    query: ListQuery,
    response: answers(
      200,
      'Tokens by rising id.',
      closed('ListNftTokens', {
        tokens: Type.Array(TokenSchema),
        nextPageToken: NextPageTokenSchema,
      }),
    ),
    async handle(request, reply) {
      const params = request.params as Static<typeof CollectionParams>
      const { pageSize, pageToken } = request.query as Static<typeof ListQuery>
      const chainId = await evmChainId(deps.chains, params.chainId)
      const contract = contractAddress(params.address)
      const mark = queryMark(['nfts', String(chainId), contract])
      const key = readPageToken(mark, pageToken)
      await requireFreshChain(deps, chainId, reply)
      const page = await deps.index.nfts.list(
        { chainId, contract },
        { ...(key ? { afterTokenId: tokenNumber(key[0] ?? '') } : {}), limit: pageSize },
      )
      return {
        tokens: page.tokens.map((token) => present(token, contract)),
        ...(page.nextTokenId === undefined
          ? {}
          : { nextPageToken: writePageToken(mark, [page.nextTokenId.toString()]) }),
      }
    },
  }
}

function tokenRoute(deps: NftDeps): DataRoute {
  return {
    method: 'GET',
    url: `${collection}/:tokenId`,
    operationId: 'getTokenDetails',
    tag,
    summary: 'Get token details',
    weight: 'medium',
    params: TokenParams,
    response: answers(200, 'The token.', TokenSchema),
    async handle(request, reply) {
      const { chainId, contract, tokenId } = await tokenOf(deps, request.params as Static<typeof TokenParams>)
      await requireFreshChain(deps, chainId, reply)
      const token = await deps.index.nfts.find({ chainId, contract }, tokenId)
      if (!token) throw new NotFoundError('the token is not known')
      return present(token, contract)
    },
  }
}

/** The store knows nothing of a configured chain whose index has not started. */
function whereNothingIs(error: unknown): { found: boolean; retryAfterSeconds?: number } {
  if (error instanceof NotFoundError) return { found: false }
  throw error
}

const tokenOf = async (deps: NftDeps, params: Static<typeof TokenParams>) => ({
  chainId: await evmChainId(deps.chains, params.chainId),
  contract: contractAddress(params.address),
  tokenId: tokenNumber(params.tokenId),
})

function tokenNumber(text: string): bigint {
  if (!/^\d{1,78}$/.test(text)) throw new BadInputError('tokenId must be a decimal number')
  return BigInt(text)
}

function present(token: NftToken, contract: string): Record<string, unknown> {
  const { status, updatedAt, tokenUri, attributes, properties, decimals, ...shown } = token.metadata
  const head = { address: getAddress(`0x${contract}`), tokenId: token.tokenId.toString(), tokenUri: tokenUri ?? '' }
  const common = {
    indexStatus: status,
    ...defined({ metadataLastUpdatedTimestamp: updatedAt === undefined ? undefined : Number(updatedAt), ...shown }),
  }
  if (token.standard === 'ERC-1155') {
    return { ...head, ercType: 'ERC-1155', metadata: { ...common, ...defined({ decimals, properties }) } }
  }
  return {
    ...head,
    name: token.contract.name ?? '',
    symbol: token.contract.symbol ?? '',
    ercType: 'ERC-721',
    metadata: { ...common, ...defined({ attributes }) },
    ...(token.owner === undefined ? {} : { ownerAddress: getAddress(`0x${token.owner}`) }),
  }
}
