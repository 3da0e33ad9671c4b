import Fastify from 'fastify'
import { expect, it } from 'vitest'
import { createComputeUnits, createMemoryUsage } from '../../../src/api/data/compute-units.ts'
import { evmLatestRoutes } from '../../../src/api/data/evm-latest.ts'
import { dataApi } from '../../../src/api/data/index.ts'
import type { LatestQuery } from '../../../src/store/index.ts'

const NOW = 2_000_000
const plans = { default: { computeUnitsPerMinute: 1_000_000, computeUnitsPerDay: 1_000_000 } }

/** A database holds streams of two chains that are served, and of one that is not (any more). */
async function listed(path: string, network: string): Promise<unknown> {
  const asked: LatestQuery<unknown>[] = []
  const answer = async (query: LatestQuery<unknown>) => {
    asked.push(query)
    return { blocks: [], transactions: [] }
  }
  const stream = (name: string) => ({ stream: name, tip: { height: 7n }, currentAtMs: BigInt(NOW) })
  const deps = {
    index: {
      progress: async () => ['testnet:C', 'eip155:9', 'eip155:5'].map(stream),
      evm: { latestBlocks: answer, latestTransactions: answer },
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
    routes: evmLatestRoutes(deps),
  })
  const { statusCode } = await app.inject(`/v1/${path}${network}`)
  await app.close()
  return [statusCode, asked.map(({ streams }) => streams)]
}

it.each(['blocks', 'transactions'])(
  'latest %s are those of the chains that are served, whatever the database holds',
  async (path) => {
    expect(await listed(path, '')).toEqual([200, [['testnet:C', 'eip155:9']]])
    expect(await listed(path, '?network=mainnet')).toEqual([200, [['eip155:9']]])
  },
)
