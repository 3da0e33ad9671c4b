import pg from 'pg'
import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { openStore, type Store } from '../../src/store/index.ts'
import { assembleStore } from '../../src/store/store.ts'
import { useServerStores } from '../support/store/server-stores.ts'
import { eventually } from '../support/waiting/eventually.ts'
import { gate } from '../support/waiting/gate.ts'

const WAITING = `select query from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock' and query like 'create index%'`

/** Fails where a session builds an index of a table that nobody else may read until it commits. */
const EXPECT_READERS = `create function expect_readers() returns event_trigger language plpgsql as $$ begin
    if exists (select from pg_locks where pid = pg_backend_pid() and mode = 'AccessExclusiveLock'
      and relation = 'utxo_owner'::regclass) then raise exception 'nobody may read meanwhile'; end if; end $$;
  create event trigger expect_readers on ddl_command_start when tag in ('CREATE INDEX')
    execute function expect_readers()`

const { server, connect } = useServerStores()

it('a step of the schema keeps no reader waiting for longer than a read may take, and the log says when it begins', async () => {
  const url = await server().create('long_step')
  await connect(url).open()
  const [client, writer] = [new pg.Client({ connectionString: url }), new pg.Client({ connectionString: url })]
  await Promise.all([client.connect(), writer.connect()])
  const said: Record<string, unknown>[] = []
  const logger = pino({}, { write: (line: string) => void said.push(JSON.parse(line)) })
  const steps = () => said.map(({ step, applied }) => step ?? applied)
  const opened = (): Store => {
    const store = openStore({ databaseUrl: url, dataDir: '', logger, statementTimeoutMs: 2_000 })
    // Opening waits for the writer.
    onTestFinished(async () => {
      await Promise.all([client.end(), writer.end()])
      await store.close()
    })
    return store
  }
  await opened().open()
  expect(steps()).toEqual([[]])
  await client.query(`delete from firn_migration where name >= '0010'`)
  await writer.query('begin; lock table utxo_owner in row exclusive mode')
  const store = opened()
  const opening = store.open()
  await eventually(async () => expect((await client.query(WAITING)).rows).toHaveLength(1))
  expect(steps()).toEqual([[], '0010-unspent-entries'])
  await expect(store.reader.networks.find('testnet')).rejects.toThrow('the database is still being opened')
  await writer.query('commit')
  await opening
  expect(await store.reader.networks.find('testnet')).toBeUndefined()
  const rest = [
    '0011-metadata-height',
    '0012-renewed-stake',
    '0013-untraced',
    '0014-metadata-by-height',
    '0015-probe-filler',
    '0016-unread-indexes',
    '0017-sums-of-rewards',
    '0018-changed-nfts',
  ]
  expect(steps()).toEqual([[], '0010-unspent-entries', ...rest, ['0010-unspent-entries', ...rest]])
})

it('indexes of today are all built before those of before are dropped, which keeps readers out until the step ends', async () => {
  const url = await server().create('readers')
  const before = connect(url)
  await before.open()
  await before.close()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`delete from firn_migration where name >= '0010'; ${EXPECT_READERS}`)
  await client.end()
  await connect(url).open()
})

it('an embedded database that is being opened keeps no reader waiting without end either', async () => {
  const held = gate()
  const opening = held.opened.then(() => Promise.reject(new Error('enough')))
  const store = assembleStore('embedded', () => opening, pino({ level: 'silent' }), 'session', 10)
  onTestFinished(() => store.close())
  const opened = store.open().catch((error: Error) => error.message)
  await expect(store.reader.networks.find('testnet')).rejects.toThrow('the database is still being opened')
  held.open()
  expect(await opened).toBe('enough')
})
