import pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { openStore } from '../../src/store/index.ts'
import { INDEX_TABLES } from '../../src/store/spread-tables.ts'
import { type PostgresServer, startPostgres } from '../support/store/postgres-server.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server?.stop())

/** URL of a database made by one role, for another one of this name that may do everything but what `takes` away. */
async function ownedUrl(name: string, takes: readonly string[]): Promise<string> {
  const databaseUrl = await server.create(name)
  const owner = openStore({ databaseUrl, dataDir: '/nonexistent', logger: pino({ level: 'silent' }) })
  await owner.open()
  await owner.close()
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query(`create role ${name} login password 'limited'`)
  await client.query(`grant select, insert, update, delete on all tables in schema public to ${name}`)
  for (const statement of takes) await client.query(statement)
  await client.end()
  const url = new URL(databaseUrl)
  url.username = name
  url.password = 'limited'
  return url.href
}

/** The store of such a role, and what its probes say. */
async function limited(name: string, revoked: string) {
  const databaseUrl = await ownedUrl(name, [`revoke ${revoked} from ${name}`])
  const logger = pino({ level: 'silent' })
  const store = openStore({ databaseUrl, dataDir: '/nonexistent', logger, migrates: false })
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

it('tables that are gone are named by the health checks', async () => {
  const databaseUrl = await server.create('gone')
  const store = openStore({ databaseUrl, dataDir: '/nonexistent', logger: pino({ level: 'silent' }) })
  onTestFinished(() => store.close())
  await store.open()
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query('drop table evm_nft, keystore_entry, keystore_user, staker')
  await client.end()
  const read = store.probes.read()
  await expect(read).rejects.toMatchObject({
    status: 503,
    message: 'tables are missing: evm_nft, keystore_entry, keystore_user, staker',
  })
  const write = store.probes.write()
  await expect(write).rejects.toMatchObject({
    status: 503,
    message: 'tables are missing: keystore_entry, keystore_user',
  })
})

it('a role with the rights that the manual names for a process that serves does all that one does, as each starts', async () => {
  const written = ['evm_nft_metadata', 'evm_nft_changed', 'store_probe']
  const others = [...INDEX_TABLES, 'leader_lease', 'firn_migration', 'firn_migration_lock'].filter(
    (table) => !written.includes(table),
  )
  const url = await ownedUrl('serves', [
    'revoke create on schema public from public, serves',
    `revoke insert, update, delete on ${others.join(', ')} from serves`,
    `insert into stream (id, name, evm_chain_id, testnet, current_at_ms) values (9, 'eip155:1', 1, false, 0)`,
  ])
  const store = openStore({ databaseUrl: url, dataDir: '/nonexistent', logger: pino({ level: 'silent' }) })
  onTestFinished(() => store.close())
  await store.open()
  await store.probes.read()
  await store.probes.write()
  expect(await store.probes.progress()).toHaveLength(1)
  const token = { chainId: 1n, contract: '00'.repeat(20), tokenId: 1n }
  expect(await store.nftMetadata.requestReindex(token, 3_600)).toEqual({ found: false })
  for (const which of ['asked', 'others'] as const) expect(await store.nftMetadata.takeDue(1, 600, which)).toEqual([])
})
