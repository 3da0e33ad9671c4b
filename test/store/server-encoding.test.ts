import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openStore } from '../../src/store/index.ts'
import { type PostgresServer, startPostgres } from '../support/store/postgres-server.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server?.stop())

const open = async (encoding: string): Promise<string> => {
  const databaseUrl = await server.create(`in_${encoding.toLowerCase()}`, 'template0', encoding)
  const store = openStore({ databaseUrl, dataDir: '/nonexistent', logger: pino({ level: 'silent' }) })
  const told = await store.open().then(
    () => 'open',
    (error: Error) => error.message,
  )
  await store.close()
  return told
}

it.each(['UTF8', 'SQL_ASCII'])('a database in %s holds every name', async (encoding) => {
  expect(await open(encoding)).toBe('open')
})

it.each(['LATIN1', 'WIN1251', 'EUC_JP'])(
  'a database in %s is refused, and what is to be done is told',
  async (encoding) => {
    expect(await open(encoding)).toBe(
      `the encoding of the database is ${encoding}, which cannot hold every name of a token: make one with encoding 'UTF8' and template template0`,
    )
  },
)
