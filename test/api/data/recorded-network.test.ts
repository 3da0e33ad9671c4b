import { afterAll, beforeAll, describe } from 'vitest'
import { checkBalancesAt, checkBalancesNow } from './balances.ts'
import { checkActivity, checkBlocks } from './blocks.ts'
import { checkCredentials } from './credentials.ts'
import { checkEvm, checkIndexNotes, checkRequests } from './evm.ts'
import { type IndexedServer, startIndexedServer } from './indexed-server.ts'
import { checkAddressState } from './node-state.ts'
import { checkSdks } from './sdks.ts'
import { checkStakeRewards } from './stake-rewards.ts'
import { checkUtxos } from './utxos.ts'

// Indexing takes seconds: one server for everything that only reads.
let running: IndexedServer
const server = (): IndexedServer => running
beforeAll(async () => {
  running = await startIndexedServer()
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
