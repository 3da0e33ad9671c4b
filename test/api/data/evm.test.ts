import { afterAll, beforeAll, describe, vi } from 'vitest'
import { checkEvm, checkRequests } from './evm.ts'
import { type IndexedServer, startIndexedServer } from './indexed-server.ts'

let running: IndexedServer
const server = (): IndexedServer => running
// Thousands of calls a test.
vi.setConfig({ testTimeout: 180_000 })

beforeAll(async () => {
  running = await startIndexedServer()
}, 180_000)
afterAll(() => running?.stop())

describe('EVM chains', () => checkEvm(server))
describe('requests', () => checkRequests(server))
