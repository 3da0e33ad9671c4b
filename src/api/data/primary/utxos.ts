import { type Static, Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { BadInputError } from '../../../errors.ts'
import { idFromCb58 } from '../../../lib/bytes/ids.ts'
import type { UtxoCursor, UtxoListQuery, UtxoPage, UtxoRecord } from '../../../store/index.ts'
import { callerOf } from '../../plugins/caller.ts'
import { queryMark, readPageToken, writePageToken } from '../page-token.ts'
import type { DataRoute } from '../route.ts'
import { answers, oneOf, pagingQuery, SortOrderSchema } from '../schemas.ts'
import { AddressesBodySchema, AddressesQuerySchema, postedAddresses, queriedAddresses } from './addresses.ts'
import { withAssets } from './assets.ts'
import {
  type PrimaryChain,
  type PrimaryDeps,
  type PrimaryParams,
  PrimaryParamsSchema,
  requireFresh,
  resolveChain,
} from './chain.ts'
import { type Asked, besideNodes, shownPage, withToldOutputs } from './node-outputs.ts'
import {
  ListPChainUtxosSchema,
  ListUtxosSchema,
  presentPlatformUtxo,
  presentUtxo,
  type SpendingProof,
} from './utxo-presenter.ts'
import { requireWholeHistory } from './whole-history.ts'

const ListQuery = (maximum: number) =>
  Type.Object({
    ...pagingQuery(maximum),
    assetId: Type.Optional(Type.String({ description: 'X-chain only; ignored on P and C.' })),
    minUtxoAmount: Type.Number({ minimum: 0, default: 0, description: 'Inclusive, smallest unit.' }),
    includeSpent: Type.Boolean({ default: false }),
    sortBy: oneOf(['timestamp', 'amount'], { title: 'UtxosSortByOption', default: 'timestamp' }),
    sortOrder: SortOrderSchema,
  })
type ListQuery = Static<ReturnType<typeof ListQuery>>

const response = answers(200, 'UTXOs of the addresses.', Type.Union([ListPChainUtxosSchema, ListUtxosSchema]))

export interface UtxoDeps extends PrimaryDeps {
  bytesOf(utxo: UtxoRecord): string
  /** Signers of the spent outputs, by output id. */
  proofsOf(network: string, utxos: readonly UtxoRecord[]): Promise<ReadonlyMap<string, SpendingProof>>
}

/** UTXO lists: GET (v1) and POST (V2) of one path. */
export function utxoRoutes(deps: UtxoDeps): DataRoute[] {
  async function list(request: FastifyRequest, reply: FastifyReply, addresses: string[]): Promise<unknown> {
    const chain = await resolveChain(deps, request.params as PrimaryParams)
    const query = request.query as ListQuery
    if (query.includeSpent) requireWholeHistory(chain, 'the spent outputs')
    const { isCTold } = await requireFresh(deps, chain, reply, query.includeSpent ? 'network' : 'present')
    const { pageSize, pageToken, sortBy, sortOrder, includeSpent } = query
    const minAmount = smallestAmount(request.url, query.minUtxoAmount)
    const mark = queryMark([
      'utxos',
      chain.name,
      addresses,
      sortBy,
      sortOrder,
      includeSpent,
      minAmount.toString(),
      query.assetId,
    ])
    const after = cursorOf(readPageToken(mark, pageToken), sortBy === 'amount' ? 20 : 18)
    const assetId = assetFilter(chain, query.assetId)
    const wanted: UtxoListQuery = {
      chain: chain.name,
      addresses,
      includeSpent,
      sortBy,
      order: sortOrder,
      ...(minAmount > 0n ? { minAmount } : {}),
      ...(assetId === undefined ? {} : { assetId }),
      ...(after === undefined ? {} : { after }),
      limit: pageSize,
      caller: callerOf(request, reply),
    }
    const page = await read({ chain, addresses, isCTold }, wanted)
    return {
      utxos: await present(chain, page.utxos),
      chainInfo: chain.chainInfo,
      ...(page.next ? { nextPageToken: writePageToken(mark, [page.next.value.toString(), page.next.key]) } : {}),
    }
  }

  /** The nodes are read first: what is spent meanwhile is no longer in the list of the index either. */
  const read = (asked: Asked, query: UtxoListQuery): Promise<UtxoPage> =>
    besideNodes(deps, asked, async (told) => withToldOutputs(await shownPage(deps.index, query, told), told, query))

  async function present(chain: PrimaryChain, found: readonly UtxoRecord[]): Promise<unknown[]> {
    const utxos = await withAssets(deps, chain, found)
    if (chain.letter === 'P') return utxos.map((utxo) => presentPlatformUtxo(utxo, chain, deps.bytesOf(utxo)))
    const proofs = await deps.proofsOf(chain.name.network, utxos)
    return utxos.map((utxo) => presentUtxo(utxo, chain, deps.bytesOf(utxo), proofs.get(utxo.id)))
  }

  const shared = {
    url: '/v1/networks/:network/blockchains/:blockchainId/utxos',
    tag: 'Primary Network UTXOs',
    weight: 'xl' as const,
    params: PrimaryParamsSchema,
    response,
  }
  return [
    {
      ...shared,
      method: 'GET',
      operationId: 'getUtxosByAddresses',
      summary: 'List UTXOs',
      description: 'UTXOs that were created or can be consumed on the chain. At most 64 addresses; POST takes 1,024.',
      query: Type.Composite([ListQuery(100), Type.Object({ addresses: AddressesQuerySchema })]),
      handle: (request, reply) => list(request, reply, queriedAddresses(request, 'POST takes more')),
    },
    {
      ...shared,
      method: 'POST',
      operationId: 'getUtxosByAddressesV2',
      summary: 'List UTXOs v2, for more addresses and larger pages',
      query: ListQuery(1_024),
      body: AddressesBodySchema,
      handle: (request, reply) => list(request, reply, postedAddresses(request)),
    },
  ]
}

/** Read from the text of the URL: the parsed number is a double, and amounts above 2^53 would be rounded. */
function smallestAmount(url: string, parsed: number): bigint {
  if (!Number.isFinite(parsed)) throw new BadInputError('minUtxoAmount must be a finite number')
  const written = new URLSearchParams(url.slice(url.indexOf('?') + 1)).get('minUtxoAmount') ?? ''
  const [, whole, part = ''] = /^\+?(\d+)(?:\.(\d+))?$/.exec(written.trim()) ?? []
  if (whole === undefined) return BigInt(Math.ceil(parsed))
  return BigInt(whole) + (/[1-9]/.test(part) ? 1n : 0n)
}

/** The specification has the filter on X only. */
function assetFilter(chain: PrimaryChain, assetId: string | undefined): string | undefined {
  if (assetId === undefined || assetId === '' || chain.letter !== 'X') return undefined
  try {
    return idFromCb58(assetId)
  } catch {
    throw new BadInputError('assetId is not a valid id')
  }
}

/** `digits`: no longer than what the database stores of the sorted column. */
function cursorOf(key: readonly string[] | undefined, digits: number): UtxoCursor | undefined {
  if (!key) return undefined
  const [value = '', id = ''] = key
  if (!/^\d+$/.test(value) || value.length > digits || !/^[0-9a-f]{32}$/.test(id))
    throw new BadInputError('pageToken is not a token of this API')
  return { value: BigInt(value), key: id }
}
