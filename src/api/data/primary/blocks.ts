import { type Static, Type } from '@sinclair/typebox'
import { BadInputError, NotFoundError } from '../../../errors.ts'
import { formatNodeId, idFromCb58, idToCb58, parseNodeId } from '../../../lib/bytes/ids.ts'
import type { BlockCursor, BlockRow } from '../../../store/index.ts'
import { queryMark, readPageToken, writePageToken } from '../page-token.ts'
import type { DataRoute } from '../route.ts'
import { answers, ChainInfoSchema, closed, NextPageTokenSchema, pagingQuery, unixSeconds } from '../schemas.ts'
import { type PrimaryChain, type PrimaryDeps, PrimaryParamsSchema, requireFresh, resolveChain } from './chain.ts'

const optional = Type.Optional

const members = {
  blockNumber: Type.String(),
  blockHash: Type.String(),
  parentHash: Type.String(),
  blockTimestamp: Type.Number({ description: 'Unix seconds.' }),
  blockType: Type.String(),
  txCount: Type.Number(),
  transactions: Type.Array(Type.String()),
  blockSizeBytes: Type.Number(),
  l1ValidatorsAccruedFees: optional(Type.Number({ description: 'P-chain, since Etna.' })),
  activeL1Validators: optional(Type.Number({ description: 'P-chain, since Etna.' })),
  currentSupply: optional(Type.String({ description: 'P-chain, nAVAX.' })),
  proposerDetails: optional(
    closed('ProposerDetails', {
      proposerId: optional(Type.String()),
      proposerParentId: optional(Type.String()),
      proposerNodeId: optional(Type.String()),
      proposerPChainHeight: optional(Type.Number()),
      proposerTimestamp: optional(Type.Number()),
    }),
  ),
}
const BlockSchema = closed('GetPrimaryNetworkBlockResponse', members)
const ListSchema = closed('ListPrimaryNetworkBlocksResponse', {
  blocks: Type.Array(closed('PrimaryNetworkBlock', members)),
  chainInfo: ChainInfoSchema,
  nextPageToken: NextPageTokenSchema,
})

const BlockParams = Type.Composite([
  PrimaryParamsSchema,
  Type.Object({ blockId: Type.String({ minLength: 1, maxLength: 80, description: 'Height, or hash.' }) }),
])
const NodeParams = Type.Composite([
  PrimaryParamsSchema,
  Type.Object({ nodeId: Type.String({ pattern: '^NodeID-', maxLength: 64 }) }),
])
const NodeQuery = Type.Object({
  ...pagingQuery(),
  startTimestamp: Type.Optional(unixSeconds('Unix seconds: blocks at or after it.')),
  endTimestamp: Type.Optional(unixSeconds('Unix seconds: blocks at or before it.')),
})

const place = '/v1/networks/:network/blockchains/:blockchainId'
const tag = 'Primary Network Blocks'

/** One block by height or hash, and the blocks that a node proposed. */
export function primaryBlockRoutes(deps: PrimaryDeps): DataRoute[] {
  return [
    {
      method: 'GET',
      url: `${place}/blocks/:blockId`,
      operationId: 'getBlockById',
      tag,
      summary: 'Get block',
      description:
        'By height, by its own id, or by the id of the proposer block that contains it; on C by the 0x hash.',
      weight: 'xl',
      params: BlockParams,
      response: answers(200, 'The block.', BlockSchema),
      async handle(request, reply) {
        const params = request.params as Static<typeof BlockParams>
        const chain = await resolveChain(deps, params)
        await requireFresh(deps, chain, reply)
        const block = await findBlock(deps, chain, params.blockId)
        if (!block) throw new NotFoundError(`block ${params.blockId} is not known on the ${chain.chainInfo.chainName}`)
        return presentBlock(block, chain)
      },
    },
    {
      method: 'GET',
      url: `${place}/nodes/:nodeId/blocks`,
      operationId: 'listPrimaryNetworkBlocksByNodeId',
      tag,
      summary: 'List blocks proposed by node',
      description: 'Newest first.',
      weight: 'medium',
      params: NodeParams,
      query: NodeQuery,
      response: answers(200, 'Blocks the node proposed.', ListSchema),
      async handle(request, reply) {
        const params = request.params as Static<typeof NodeParams>
        const query = request.query as Static<typeof NodeQuery>
        const nodeId = nodeIdOf(params.nodeId)
        const chain = await resolveChain(deps, params)
        await requireFresh(deps, chain, reply)
        const mark = queryMark(['node blocks', chain.name, nodeId, query.startTimestamp, query.endTimestamp])
        const after = cursorOf(readPageToken(mark, query.pageToken))
        const page = await deps.index.blocks.proposedBy({
          chain: chain.name,
          nodeId,
          limit: query.pageSize,
          ...(query.startTimestamp === undefined ? {} : { from: BigInt(query.startTimestamp) }),
          ...(query.endTimestamp === undefined ? {} : { to: BigInt(query.endTimestamp) }),
          ...(after === undefined ? {} : { after }),
        })
        return {
          blocks: page.blocks.map((block) => presentBlock(block, chain)),
          chainInfo: chain.chainInfo,
          ...(page.next
            ? { nextPageToken: writePageToken(mark, [page.next.time.toString(), page.next.height.toString()]) }
            : {}),
        }
      },
    },
  ]
}

async function findBlock(deps: PrimaryDeps, chain: PrimaryChain, blockId: string): Promise<BlockRow | undefined> {
  // 18 digits are more than any chain's height and fit the database's integer type.
  if (/^\d+$/.test(blockId))
    return blockId.length > 18 ? undefined : deps.index.blocks.atHeight(chain.name, BigInt(blockId))
  if (/^0x[0-9a-fA-F]{64}$/.test(blockId)) return deps.index.blocks.withId(chain.name, blockId.slice(2).toLowerCase())
  let id: string
  try {
    id = idFromCb58(blockId)
  } catch {
    throw new BadInputError('blockId must be a height or a block hash')
  }
  return deps.index.blocks.withId(chain.name, id)
}

function nodeIdOf(text: string): string {
  try {
    return parseNodeId(text)
  } catch {
    throw new BadInputError(`nodeId ${text.slice(0, 64)} is not a valid node id`)
  }
}

function cursorOf(key: readonly string[] | undefined): BlockCursor | undefined {
  if (!key) return undefined
  const [time = '', height = ''] = key
  if (!/^\d{1,18}$/.test(time) || !/^\d{1,18}$/.test(height))
    throw new BadInputError('pageToken is not a token of this API')
  return { time: BigInt(time), height: BigInt(height) }
}

function presentBlock(block: BlockRow, chain: PrimaryChain): Record<string, unknown> {
  const hash = (id: string): string => (chain.letter === 'C' ? `0x${id}` : idToCb58(id))
  const transactions = block.txIds.map(hash)
  return {
    blockNumber: block.height.toString(),
    blockHash: hash(block.id),
    parentHash: hash(block.parentId),
    blockTimestamp: Number(block.time),
    blockType: shortType(block.type),
    txCount: transactions.length,
    transactions,
    blockSizeBytes: block.size,
    ...(block.l1AccruedFees === undefined ? {} : { l1ValidatorsAccruedFees: Number(block.l1AccruedFees) }),
    ...(block.activeL1Validators === undefined ? {} : { activeL1Validators: block.activeL1Validators }),
    ...(block.currentSupply === undefined ? {} : { currentSupply: block.currentSupply.toString() }),
    ...proposerDetails(block),
  }
}

/** `BanffStandardBlock` → `Standard`: the hosted service's short names. */
const shortType = (type: string): string => type.replace(/^(Banff|Apricot)/, '').replace(/Block$/, '')

function proposerDetails({ outerId, outerParentId, proposer }: BlockRow): Record<string, unknown> {
  const details = {
    ...(outerId === undefined ? {} : { proposerId: idToCb58(outerId) }),
    ...(outerParentId === undefined ? {} : { proposerParentId: idToCb58(outerParentId) }),
    ...(proposer?.nodeId === undefined ? {} : { proposerNodeId: formatNodeId(proposer.nodeId) }),
    ...(proposer?.pChainHeight === undefined ? {} : { proposerPChainHeight: Number(proposer.pChainHeight) }),
    ...(proposer?.time === undefined ? {} : { proposerTimestamp: Number(proposer.time) }),
  }
  return Object.keys(details).length === 0 ? {} : { proposerDetails: details }
}
