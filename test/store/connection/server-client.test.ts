import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { DeadlineError } from '../../../src/errors.ts'
import { createServerClient } from '../../../src/store/connection/server-client.ts'
import { startPostgres } from '../../support/store/postgres-server.ts'
import { startSilencer } from './silencer.ts'

it('a server that falls silent ends the statement, and its connection serves nobody else', async () => {
  const server = await startPostgres()
  onTestFinished(() => server.stop())
  const between = await startSilencer(Number(new URL(server.url('postgres')).port))
  onTestFinished(() => between.close())
  const url = server.url('postgres').replace(/:\d+\//, `:${between.port}/`)
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  pool.on('error', () => undefined)
  const rows = async (client: ReturnType<typeof createServerClient>, sql: string): Promise<unknown> =>
    (await client.query(sql, [])).rows

  const first = createServerClient(await pool.connect(), 300)
  expect(await rows(first, 'select 1 as n')).toEqual([{ n: 1 }])
  await expect(rows(first, 'select nonsense')).rejects.toMatchObject({ code: '42703' })
  // As behind a pooler that gives the next statement another session.
  await expect(rows(first, 'execute nobody_prepared_this')).rejects.toThrow(
    /^a pooler in front of the database does not carry prepared statements/,
  )
  first.release()

  const second = createServerClient(await pool.connect(), 300)
  between.silence()
  await expect(rows(second, 'select 2 as n')).rejects.toBeInstanceOf(DeadlineError)
  // A transaction that was late asks for its end: that must not wait as long again.
  await expect(rows(second, 'rollback')).rejects.toBeInstanceOf(DeadlineError)
  second.release()

  const third = createServerClient(await pool.connect(), 5_000)
  expect(await rows(third, 'select 3 as n')).toEqual([{ n: 3 }])
  third.release()
  await pool.end()
})
