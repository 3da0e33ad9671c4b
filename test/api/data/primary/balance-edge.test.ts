import { afterAll, beforeAll, describe } from 'vitest'
import { type IndexedServer, startIndexedServer } from '../indexed-server.ts'
import { checkBalancesAt } from './balances.ts'
import { checkBalanceSamples } from './node-state.ts'

let running: IndexedServer
beforeAll(async () => {
  running = await startIndexedServer({ balanceEdge: 'inclusive' })
})
afterAll(() => running?.stop())

describe('a server that counts as a node does', () => {
  checkBalancesAt(() => running, 'inclusive')
  checkBalanceSamples(() => running)
})
