import { afterAll, beforeAll, describe, vi } from 'vitest'
import { checkBalancesAt } from './balances.ts'
import { type IndexedServer, startIndexedServer } from './indexed-server.ts'
import { checkBalanceSamples } from './node-state.ts'

let running: IndexedServer
// Thousands of calls a test.
vi.setConfig({ testTimeout: 180_000 })

beforeAll(async () => {
  running = await startIndexedServer({ balanceEdge: 'inclusive' })
}, 180_000)
afterAll(() => running?.stop())

describe('a server that counts as a node does', () => {
  checkBalancesAt(() => running, 'inclusive')
  checkBalanceSamples(() => running)
})
