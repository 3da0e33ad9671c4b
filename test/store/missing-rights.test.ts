import pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { openStore } from '../../src/store/index.ts'
import { type PostgresServer, startPostgres } from '../support/store/postgres-server.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server?.stop())

/** A database made by one role, and the store of another one that may do everything but what `revoked` says. */
async function limited(name: string, revoked: string) {
  const databaseUrl = await server.create(name)
  const options = { dataDir: '/nonexistent', logger: pino({ level: 'silent' }) }
  const owner = openStore({ ...options, databaseUrl })
  await owner.open()
  await owner.close()
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query(`create role ${name} login password 'limited'`)
  await client.query(`grant select, insert, update, delete on all tables in schema public to ${name}`)
  await client.query(`revoke ${revoked} from ${name}`)
  await client.end()
  const url = new URL(databaseUrl)
  url.username = name
  url.password = 'limited'
  const store = openStore({ ...options, databaseUrl: url.href, migrates: false })
  onTestFinished(() => store.close())
  const told = (probe: Promise<void>) =>
    probe.then(
      () => 'well',
      ({ status, message }) => `${status} ${message}`,
    )
  return { store, read: await told(store.probes.read()), write: await told(store.probes.write()) }
}

it('a role with all rights on the tables serves', async () => {
  expect(await limited('whole', 'create on schema public')).toMatchObject({ read: 'well', write: 'well' })
})

it('tables that the role cannot read are named by the health checks, and what needs them is 503', async () => {
  const { store, read, write } = await limited('no_select', 'select on evm_participant, tx')
  expect(read).toBe('503 rights on tables are missing: SELECT on evm_participant, tx')
  expect(write).toBe('well')
  await expect(store.reader.evm.chainsOf('00'.repeat(20))).rejects.toMatchObject({ status: 503 })
})

it('tables that the role cannot write, though every process does, are named by the check of writes', async () => {
  const { read, write } = await limited('no_insert', 'insert, delete on keystore_user, node_revocation, block')
  expect(read).toBe('well')
  expect(write).toBe(
    '503 rights on tables are missing: INSERT on keystore_user, node_revocation; DELETE on keystore_user, node_revocation',
  )
})
