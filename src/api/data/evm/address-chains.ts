import { type Static, Type } from '@sinclair/typebox'
import type { IndexReader } from '../../../store/index.ts'
import type { DataRoute } from '../route.ts'
import { answers, closed } from '../schemas.ts'
import { ChainInfoDtoSchema, contractAddress } from './chain.ts'
import { type EvmFreshnessDeps, requireFreshList } from './freshness.ts'

const Params = Type.Object({ address: Type.String({ description: 'EVM address.' }) })

/** Chains on which an address was sender or receiver of a transaction or a token transfer; read at the tip. */
export function addressChainRoutes(deps: EvmFreshnessDeps & { index: IndexReader }): DataRoute[] {
  return [
    {
      method: 'GET',
      url: '/v1/address/:address/chains',
      aliases: ['/v1/chains/address/:address'],
      operationId: 'listAddressChains',
      tag: 'EVM Chains',
      summary: 'List all chains associated with a given address',
      weight: 'medium',
      params: Params,
      response: answers(
        200,
        'Chains of the address.',
        closed('ListAddressChainsResponse', {
          indexedChains: Type.Array(ChainInfoDtoSchema),
          unindexedChains: Type.Array(Type.String()),
        }),
      ),
      async handle(request, reply) {
        const { address } = request.params as Static<typeof Params>
        const bytes = contractAddress(address)
        const streams = await requireFreshList(deps, undefined, reply)
        const names = await deps.chains.streams()
        // Stored data of a chain that was reset does not belong to the chain that is served.
        const isServed = (id: string): boolean => !names.has(id) || streams.includes(names.get(id) ?? '')
        const ids = (await deps.index.evm.chainsOf(bytes)).map(String).filter(isServed)
        const known = new Map((await deps.chains.list()).map((chain) => [chain.chainId, chain]))
        return {
          indexedChains: ids.flatMap((id) => known.get(id) ?? []),
          unindexedChains: ids.filter((id) => !known.has(id)),
        }
      },
    },
  ]
}
