import { afterAll, beforeAll, describe } from 'vitest'
import { checkBalancesAt } from './balances.ts'
import { type IndexedServer, startIndexedServer } from './indexed-server.ts'

let running: IndexedServer
beforeAll(async () => {
  running = await startIndexedServer({ balanceEdge: 'inclusive' })
}, 180_000)
afterAll(() => running?.stop())

describe('a server that counts as a node does', () => checkBalancesAt(() => running, 'inclusive'))
