import { expect, it, onTestFinished } from 'vitest'
import { openMemoryStore } from '../../../support/store/store.ts'
import { startKeystoreServer } from './keystore-server.ts'

it('what the database alone can tell says that it is away, and nothing of nodes, which nobody asks', async () => {
  const store = await openMemoryStore()
  const server = await startKeystoreServer(store.keystore, { platformImport: true, enabled: true })
  onTestFinished(() => server.close())
  await store.close()
  const user = { username: 'alice', password: 'Kl3ine-Gruene.Wuerfel#27' }
  const answer = await fetch(`${server.url}/ext/keystore`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'keystore.createUser', params: user }),
  })
  expect([answer.status, answer.headers.get('retry-after'), await answer.json()]).toEqual([
    503,
    '1',
    { jsonrpc: '2.0', error: { code: -32000, message: 'the database is away', data: null }, id: 1 },
  ])
})
