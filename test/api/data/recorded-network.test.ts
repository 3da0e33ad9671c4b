import { afterAll, beforeAll, describe } from 'vitest'
import { checkCredentials } from './credentials.ts'
import { checkEvm, checkIndexNotes, checkRequests } from './evm/recorded.ts'
import { type IndexedServer, startIndexedServer } from './indexed-server.ts'
import { checkBalancesAt, checkBalancesNow } from './primary/balances.ts'
import { checkActivity, checkBlocks } from './primary/blocks.ts'
import { checkAddressState } from './primary/node-state.ts'
import { checkUtxos } from './primary/utxos.ts'
import { checkSdks } from './sdks.ts'
import { checkStakeRewards } from './stake-rewards.ts'

// Indexing takes seconds: one server for everything that only reads.
let running: IndexedServer
const server = (): IndexedServer => running
beforeAll(async () => {
  running = await startIndexedServer({}, {}, { embedded: true })
})
afterAll(() => running?.stop())

describe('stake rewards', () => checkStakeRewards(server))
describe('official SDKs', () => checkSdks(server))
describe('UTXO lists', () => checkUtxos(server))
describe('credentials', () => checkCredentials(server))
describe('blocks', () => checkBlocks(server))
describe('EVM chains', () => checkEvm(server))
describe('how chains are indexed', () => checkIndexNotes(server))
describe('requests', () => checkRequests(server))
describe('last activity', () => checkActivity(server))
describe('state at the end', () => checkAddressState(server))
describe('balances', () => {
  checkBalancesNow(server)
  checkBalancesAt(server, 'strict')
})
