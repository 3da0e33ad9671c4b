import { type PostgresPool, sql } from 'kysely'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ConnectionPool, openEmbeddedPool, openServerPool } from '../../../../src/store/connection/index.ts'
import { inRangeTransaction, type RangeTransaction } from '../../../../src/store/write/range/range-transaction.ts'
import { type PostgresServer, startPostgres } from '../../../support/store/postgres-server.ts'

const logger = pino({ level: 'silent' })

function describeTransactions(title: string, pipelined: boolean, open: () => Promise<ConnectionPool>): void {
  describe(title, () => {
    let pool: ConnectionPool
    beforeAll(async () => {
      pool = await open()
      const client = await pool.connect()
      await client.query('create table entry (number int4 primary key)', [])
      client.release()
    })
    afterAll(() => pool.end())

    const run = <T>(work: (tx: RangeTransaction) => Promise<T>) =>
      inRangeTransaction({ pool: pool.patient, pipelined }, work)
    const add = (number: number) => sql`insert into entry values (${number})`
    const numbers = async (): Promise<unknown> => {
      const client = await pool.connect()
      const { rows } = await client.query<{ number: number }>('select number from entry order by number', [])
      client.release()
      return rows.map(({ number }) => number)
    }

    it('writes what was sent, in its order, whether anybody waited for it or not', async () => {
      const count = await run(async (tx) => {
        void tx.send(add(1))
        void tx.send(sql`update entry set number = number + 1`)
        void tx.send(add(1))
        const { rows } = await tx.send<{ number: number }>(sql`select number from entry order by number`)
        const waited = await sql`delete from entry where number = 2`.execute(tx.db)
        void tx.send(add(3))
        return [rows.map(({ number }) => number), waited.numAffectedRows]
      })
      expect(count).toEqual([[1, 2], 1n])
      expect(await numbers()).toEqual([1, 3])
    })

    it('writes nothing when a statement fails that nobody waited for, and tells its own error', async () => {
      const late = run(async (tx) => {
        void tx.send(add(4))
        void tx.send(add(4))
        void tx.send(add(5))
      })
      await expect(late).rejects.toThrow(/duplicate key/)
      const early = run(async (tx) => {
        void tx.send(add(4))
        void tx.send(add(4))
        await sql`select 1`.execute(tx.db)
      })
      await expect(early).rejects.toThrow(/duplicate key/)
      expect(await numbers()).toEqual([1, 3])
    })

    it('writes nothing when what was found is not as it has to be', async () => {
      const refused = run(async (tx) => {
        void tx.send(add(6))
        throw new RangeError('not as it has to be')
      })
      await expect(refused).rejects.toThrow('not as it has to be')
      // The connection is as good as new.
      await run(async (tx) => void tx.send(add(7)))
      expect(await numbers()).toEqual([1, 3, 7])
    })
  })
}

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

const onServer = async (database: string, silenceMs?: number): Promise<ConnectionPool> =>
  openServerPool({
    ...(silenceMs === undefined ? {} : { silenceMs }),
    databaseUrl: await server.create(database),
    size: 2,
    statementTimeoutMs: 20_000,
    maxWaiting: 10,
    logger,
  })

describeTransactions('a range in one go (server)', true, () => onServer('ahead'))
describeTransactions('a range statement by statement (server)', false, () => onServer('stepwise'))
describeTransactions('a range statement by statement (embedded)', false, () =>
  openEmbeddedPool({ folder: undefined, statementTimeoutMs: 20_000, maxWaiting: 10, logger }),
)

it('a range whose connection is cut is not taken for written', async () => {
  const pool = await onServer('cut')
  const admin = new pg.Client({ connectionString: server.url('cut') })
  await admin.connect()
  await admin.query('create table entry (number int4 primary key)')
  const cut = inRangeTransaction({ pool: pool.patient, pipelined: true }, async (tx) => {
    void tx.send(sql`insert into entry values (1)`)
    const { rows } = await tx.send<{ pid: number }>(sql`select pg_backend_pid() as pid`)
    await admin.query('select pg_terminate_backend($1, 5000)', [rows[0]?.pid])
    void tx.send(sql`insert into entry values (2)`)
  })
  await expect(cut).rejects.toThrow('the database is not there')
  expect((await admin.query('select 1 from entry')).rows).toEqual([])
  // The next one gets another connection.
  await inRangeTransaction(
    { pool: pool.patient, pipelined: true },
    async (tx) => void tx.send(sql`insert into entry values (3)`),
  )
  expect((await admin.query('select number from entry')).rows).toEqual([{ number: 3 }])
  await admin.end()
  await pool.end()
})

it('a range whose process stands still in the middle is given up, so that nobody waits for what it locked', async () => {
  const pool = await onServer('silent', 1_000)
  const admin = new pg.Client({ connectionString: server.url('silent') })
  await admin.connect()
  await admin.query('create table entry (number int4 primary key); insert into entry values (1)')
  const silent = inRangeTransaction({ pool: pool.patient, pipelined: true }, async (tx) => {
    await tx.send(sql`update entry set number = 2`)
    // Another writer has to wait for this one, which sends no further statement.
    await admin.query('update entry set number = number + 10')
    await tx.send(sql`update entry set number = 3`)
  })
  await expect(silent).rejects.toThrow('the database is not there')
  expect((await admin.query('select number from entry')).rows).toEqual([{ number: 11 }])
  await admin.end()
  await pool.end()
})

it('a range that the database rolls back when it is to be committed is not taken for written, and its connection is given back', async () => {
  let given = 0
  const query = async (text: string) => ({ command: text === 'commit' ? 'ROLLBACK' : text, rows: [], rowCount: 0 })
  const pool = { connect: async () => ({ query, release: () => void given++ }) } as unknown as PostgresPool
  for (const pipelined of [true, false])
    await expect(inRangeTransaction({ pool, pipelined }, async () => 1)).rejects.toThrow('rolled back')
  expect(given).toBe(2)
})
