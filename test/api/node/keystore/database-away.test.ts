import { expect, it, onTestFinished } from 'vitest'
import {
  type KeystoreRecords,
  StoreLateError,
  StoreLockedError,
  StoreUnavailableError,
} from '../../../../src/store/index.ts'
import { startKeystoreServer } from './keystore-server.ts'

it.each([
  [new StoreUnavailableError('gone'), 503, 'the database is away'],
  [new StoreLockedError('of another process'), 503, 'the database is away'],
  [new StoreLateError('locked'), 504, 'the database did not answer in time'],
])('what the database alone can tell blames no node, since none was asked: %s', async (error, status, message) => {
  const fails = (): Promise<never> => Promise.reject(error)
  const records = new Proxy({} as KeystoreRecords, { get: () => fails })
  const server = await startKeystoreServer(records, { platformImport: true, enabled: true })
  onTestFinished(() => server.close())
  const answer = await fetch(`${server.url}/ext/keystore`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'keystore.listUsers', params: {} }),
  })
  expect([answer.status, answer.headers.get('retry-after'), await answer.json()]).toEqual([
    status,
    '1',
    { jsonrpc: '2.0', error: { code: -32000, message, data: null }, id: 1 },
  ])
})
