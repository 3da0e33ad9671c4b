import { afterAll, beforeAll, describe } from 'vitest'
import { checkEvm, checkIndexNotes, checkRequests } from './evm.ts'
import { type IndexedServer, startIndexedServer } from './indexed-server.ts'

let running: IndexedServer
const server = (): IndexedServer => running
beforeAll(async () => {
  running = await startIndexedServer()
})
afterAll(() => running?.stop())

describe('EVM chains', () => checkEvm(server))
describe('how chains are indexed', () => checkIndexNotes(server))
describe('requests', () => checkRequests(server))
