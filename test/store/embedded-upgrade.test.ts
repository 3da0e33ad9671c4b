import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { openEmbeddedPool } from '../../src/store/connection/index.ts'
import { openStore, type Store } from '../../src/store/index.ts'
import { putDatabase } from '../support/store/migrated-archive.ts'
import { address, block, commit, listed, output, registerAll, spend } from './write/range-samples.ts'

const logger = pino({ level: 'silent' })
const INDEXES = `select indexdef from pg_indexes where schemaname = 'public' order by 1`

async function folderFor(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'firn-upgraded-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** What the folder holds, without this program's idea of its schema. */
async function run(folder: string, ...statements: string[]): Promise<unknown[]> {
  const pool = await openEmbeddedPool({ folder, statementTimeoutMs: 60_000, maxWaiting: 10, logger })
  const client = await pool.connect()
  let rows: unknown[] = []
  for (const statement of statements) rows = (await client.query<unknown>(statement, [])).rows
  client.release()
  await pool.end()
  return rows
}

async function using<T>(folder: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = openStore({ dataDir: folder, logger })
  return work(store).finally(() => store.close())
}

it('an embedded database of an earlier version is brought up to date, goes on, and is refused to that version', async () => {
  const folder = await folderFor()
  await putDatabase(folder)
  const earlier = await using(folder, async (store) => {
    await registerAll(store)
    await commit(store, 'testnet:P', 0, { blocks: [block(0)], utxos: [output(1, 0), output(2, 0), output(3, 0)] })
    return listed(store, 'P')
  })
  const now = await run(folder, INDEXES)
  // As version 0007 of the schema was released, without what its index included.
  await run(
    folder,
    'alter table utxo_owner drop column origin',
    'drop index utxo_owner_ended',
    'create index utxo_owner_interval on utxo_owner (address, chain, consumed_time, created_time, utxo)',
    'alter table evm_nft_metadata drop column height',
    `delete from firn_migration where name >= '0008'`,
  )
  expect(await run(folder, INDEXES)).not.toEqual(now)
  const after = await using(folder, async (store) => {
    expect(await listed(store, 'P')).toEqual(earlier)
    await commit(store, 'testnet:P', 1, { blocks: [block(1)], utxos: [output(4, 1)], spends: [spend(2, 1, 4)] })
    return listed(store, 'P', address(1), false)
  })
  expect(after).toHaveLength(3)
  expect(await run(folder, INDEXES)).toEqual(now)
  // To a version that does not know the newest step this is what it would find.
  await run(folder, `insert into firn_migration (name, timestamp) values ('0099-later', 'then')`)
  const refused = /schema of a newer version of this program .step 0099-later.*: start that version/
  await using(folder, (store) => expect(store.open()).rejects.toThrow(refused))
  await run(folder, `delete from firn_migration where name = '0099-later'`)
  expect(await using(folder, (store) => listed(store, 'P', address(1), false))).toEqual(after)
})
