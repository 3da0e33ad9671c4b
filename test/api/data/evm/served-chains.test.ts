import Fastify from 'fastify'
import { expect, it } from 'vitest'
import { createComputeUnits, createMemoryUsage } from '../../../../src/api/data/compute-units.ts'
import { addressChainRoutes } from '../../../../src/api/data/evm/address-chains.ts'
import { evmLatestRoutes } from '../../../../src/api/data/evm/latest.ts'
import { dataApi } from '../../../../src/api/data/index.ts'
import type { LatestQuery } from '../../../../src/store/index.ts'
import { commitEvm, evmBlock, L1 } from '../../../store/write/range-samples.ts'
import { openTestStore } from '../../../support/store/store.ts'

const NOW = 2_000_000
const plans = { default: { computeUnitsPerMinute: 1_000_000, computeUnitsPerDay: 1_000_000 } }

/** @param deps as far as the question needs them */
async function answerOf(path: string, some: object) {
  const deps = some as Parameters<typeof evmLatestRoutes>[0]
  const app = Fastify()
  await app.register(dataApi, {
    pathPrefix: '',
    computeUnits: createComputeUnits({ plans, apiKeys: [], keyRequired: false }, createMemoryUsage()),
    routes: [...evmLatestRoutes(deps), ...addressChainRoutes(deps)],
  })
  const answered = await app.inject(`/v1/${path}`)
  await app.close()
  return answered
}

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
  }
  const answered = await answerOf(path, deps)
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

it('a chain that is configured as one of a test network later is listed there, and not among the main ones', async () => {
  const store = openTestStore()
  await store.writer.register(L1)
  const transactions = [0, 1].map((index) => ({ ...transaction, index }))
  await commitEvm(store, L1.name, 0, { blocks: [evmBlock(0)], transactions })
  const chainId = L1.evmChainId.toString()
  const deps = {
    index: store.reader,
    chains: {
      list: async () => [{ chainId, isTestnet: true }],
      streams: async () => new Map([[chainId, L1.name]]),
    },
    maxIndexAgeMs: Number.POSITIVE_INFINITY,
    now: () => NOW,
  }
  const count = async (path: string, member: string) => (await answerOf(path, deps)).json()[member].length
  expect(await count('blocks?network=fuji', 'blocks')).toBe(1)
  expect(await count('transactions?network=fuji', 'transactions')).toBe(2)
  expect(await count('blocks?network=mainnet', 'blocks')).toBe(0)
  await store.close()
})

const transaction = {
  height: 0n,
  hash: 'a'.repeat(64),
  from: '1'.repeat(40),
  to: '2'.repeat(40),
  value: 1n,
  success: true,
  type: 2,
  gasLimit: 21_000n,
  gasUsed: 21_000n,
  gasPrice: 30n,
  nonce: 0n,
  selector: '',
}
