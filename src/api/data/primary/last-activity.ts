import { Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { NotFoundError } from '../../../errors.ts'
import { idToCb58 } from '../../../lib/bytes/ids.ts'
import { callerOf } from '../../plugins/caller.ts'
import type { DataRoute } from '../route.ts'
import { answers, ChainInfoSchema, closed } from '../schemas.ts'
import { AddressesBodySchema, AddressesQuerySchema, postedAddresses, queriedAddresses } from './addresses.ts'
import { type PrimaryDeps, type PrimaryParams, PrimaryParamsSchema, requireFresh, resolveChain } from './chain.ts'
import { requireWholeHistory } from './whole-history.ts'

const LastActivitySchema = closed('LastActivityTimestamp', {
  timestamp: Type.Number({ description: 'Unix seconds.' }),
  blockNumber: Type.String(),
  txHash: Type.String({ description: 'The transaction that created or consumed the UTXO.' }),
  utxoId: Type.String(),
  isConsumed: Type.Boolean({ description: 'Whether the activity was the consumption.' }),
  ...ChainInfoSchema.properties,
})

/** The latest activity over all given addresses; 404 if there never was any (SDKs refuse an empty object). */
export function lastActivityRoutes(deps: PrimaryDeps): DataRoute[] {
  async function last(request: FastifyRequest, reply: FastifyReply, addresses: string[]) {
    const chain = await resolveChain(deps, request.params as PrimaryParams)
    requireWholeHistory(chain, 'the last activity of addresses')
    await requireFresh(deps, chain, reply, 'network')
    const activity = await deps.index.activity.last(chain.name, addresses, callerOf(request, reply))
    if (!activity) throw new NotFoundError(`the addresses were never active on the ${chain.chainInfo.chainName}`)
    return {
      timestamp: Number(activity.time),
      blockNumber: activity.height.toString(),
      txHash: idToCb58(activity.txId),
      utxoId: idToCb58(activity.utxoId),
      isConsumed: activity.isConsumed,
      ...chain.chainInfo,
    }
  }

  const shared = {
    url: '/v1/networks/:network/blockchains/:blockchainId/lastActivityTimestampByAddresses',
    tag: 'Primary Network UTXOs',
    weight: 'xl' as const,
    params: PrimaryParamsSchema,
    response: answers(200, 'The latest activity.', LastActivitySchema),
  }
  return [
    {
      ...shared,
      method: 'GET',
      operationId: 'getLastActivityTimestampByAddresses',
      summary: 'Get last activity timestamp by addresses',
      query: Type.Object({ addresses: AddressesQuerySchema }),
      handle: (request, reply) => last(request, reply, queriedAddresses(request, 'POST takes more')),
    },
    {
      ...shared,
      method: 'POST',
      operationId: 'getLastActivityTimestampByAddressesV2',
      summary: 'Get last activity timestamp by addresses v2, for up to 1,024 of them',
      body: AddressesBodySchema,
      handle: (request, reply) => last(request, reply, postedAddresses(request)),
    },
  ]
}
