import { expect, it } from 'vitest'
import type { AvalancheNetwork } from '../../../src/chains/avalanche/index.ts'
import { createCMemories } from '../../../src/services/node-outputs/c-memory.ts'

const HEIGHT = 9n

/** What a node at that height, at which nothing waits on either side, says of P's memory with C. */
async function emptyMemory() {
  const rpc = async (_: string, method: string) =>
    method.endsWith('getHeight')
      ? { height: String(HEIGHT) }
      : { numFetched: '0', utxos: [], endIndex: { address: '', utxo: '' } }
  const index = {
    progress: async () => [{ stream: 'mainnet:P', tip: { height: HEIGHT } }],
    utxos: { lives: async () => new Map() },
    assets: { findAll: async () => new Map() },
  } as unknown as Parameters<typeof createCMemories>[0]['index']
  const network = { pool: { rpc, status: () => [] } } as unknown as AvalancheNetwork
  const identity = { hrp: 'avax', blockchainIds: { P: 'p', X: 'x', C: 'c' } }
  const memories = createCMemories({ index, networks: { mainnet: network } })
  return memories.of({ side: 'mainnet', letter: 'P', identity }, ['1'.repeat(40)])
}

it('of what P and C share only that is shown which the node has, or which is newer than what it told', async () => {
  const memory = await emptyMemory()
  const shows = (createdOn: 'P' | 'X' | 'C', consumableOn: 'P' | 'X' | 'C', height = HEIGHT): boolean =>
    memory.shows({ id: 'aa', createdOn, consumableOn, created: { height, time: 1n } })
  // What C exported to P is told by the node: shown here as well it would count twice.
  expect(shows('C', 'P')).toBe(false)
  expect(shows('C', 'X')).toBe(true)
  expect([shows('P', 'C'), shows('P', 'C', HEIGHT + 1n)]).toEqual([false, true])
  expect([shows('P', 'P'), shows('P', 'X'), shows('X', 'P')]).toEqual([true, true, true])
})
