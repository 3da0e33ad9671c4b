import Fastify from 'fastify'
import { expect, it } from 'vitest'
import { addressChainRoutes } from '../../../src/api/data/address-chains.ts'
import { createComputeUnits, createMemoryUsage } from '../../../src/api/data/compute-units.ts'
import { evmLatestRoutes } from '../../../src/api/data/evm-latest.ts'
import { dataApi } from '../../../src/api/data/index.ts'
import type { LatestQuery } from '../../../src/store/index.ts'

const NOW = 2_000_000
const plans = { default: { computeUnitsPerMinute: 1_000_000, computeUnitsPerDay: 1_000_000 } }

/**
 * A database holds streams of two chains that are served, and of one that is not (any more).
 * @param disowned those whose nodes have another chain by now
 */
async function listed(path: string, disowned: readonly string[] = []): Promise<unknown> {
  const asked: LatestQuery<unknown>[] = []
  const answer = async (query: LatestQuery<unknown>) => {
    asked.push(query)
    return { blocks: [], transactions: [] }
  }
  const stream = (name: string) => ({
    stream: name,
    tip: { height: 7n },
    currentAtMs: disowned.includes(name) ? -1n : BigInt(NOW),
  })
  const deps = {
    index: {
      progress: async () => ['testnet:C', 'eip155:9', 'eip155:5'].map(stream),
      evm: { latestBlocks: answer, latestTransactions: answer, chainsOf: async () => [43_113n, 9n, 5n] },
    },
    chains: {
      list: async () => [
        { chainId: '43113', isTestnet: true },
        { chainId: '9', isTestnet: false },
      ],
      streams: async () =>
        new Map([
          ['43113', 'testnet:C'],
          ['9', 'eip155:9'],
        ]),
    },
    maxIndexAgeMs: 10_000,
    now: () => NOW,
  } as unknown as Parameters<typeof evmLatestRoutes>[0]
  const app = Fastify()
  await app.register(dataApi, {
    pathPrefix: '',
    computeUnits: createComputeUnits({ plans, apiKeys: [], keyRequired: false }, createMemoryUsage()),
    routes: [...evmLatestRoutes(deps), ...addressChainRoutes(deps)],
  })
  const answered = await app.inject(`/v1/${path}`)
  await app.close()
  if (path.startsWith('address')) return answered.json()
  return [answered.statusCode, asked.map(({ streams }) => streams), answered.headers['x-indexed-height']]
}

it.each(['blocks', 'transactions'])(
  'latest %s are those of the chains that are served, whatever the database holds',
  async (path) => {
    expect(await listed(path)).toEqual([200, [['testnet:C', 'eip155:9']], '43113=7, 9=7'])
    expect(await listed(`${path}?network=mainnet`)).toEqual([200, [['eip155:9']], '9=7'])
  },
)

it.each(['blocks', 'transactions'])('latest %s are none of a chain that its nodes have begun anew', async (path) => {
  expect(await listed(path, ['eip155:9'])).toEqual([200, [['testnet:C']], '43113=7'])
  expect(await listed(`${path}?network=mainnet`, ['eip155:9'])).toEqual([503, [], undefined])
})

it('an address is not said to have been active on a chain that is not served, or that its nodes have begun anew', async () => {
  const path = `address/0x${'1'.repeat(40)}/chains`
  const chains = (...ids: string[]) => ids.map((chainId) => expect.objectContaining({ chainId }))
  expect(await listed(path)).toEqual({ indexedChains: chains('43113', '9'), unindexedChains: ['5'] })
  expect(await listed(path, ['eip155:9'])).toEqual({ indexedChains: chains('43113'), unindexedChains: ['5'] })
})
