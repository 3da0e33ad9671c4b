import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, expect, it, vi } from 'vitest'
import { steadyNow } from '../../../../src/lib/steady-clock.ts'
import { type EmbeddedDatabase, startEmbedded } from '../../../../src/store/connection/embedded/database.ts'
import { openEmbeddedPool } from '../../../../src/store/connection/index.ts'
import { StoreUnavailableError } from '../../../../src/store/errors.ts'
import { putDatabase } from '../../../support/store/migrated-archive.ts'
import { eventually } from '../../../support/waiting/eventually.ts'

afterEach(() => {
  vi.useRealTimers()
})

it('leaves no transaction open whose end was not sent while the lock could not be read', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'firn-unread-'))
  await putDatabase(folder)
  let database: EmbeddedDatabase | undefined
  const settings = { folder, statementTimeoutMs: 60_000, maxWaiting: 10, logger: pino({ level: 'silent' }) }
  const pool = await openEmbeddedPool(settings, async (worker) => {
    database = await startEmbedded(worker)
    return database
  })
  const run = async (sql: string): Promise<unknown[]> => {
    const client = await pool.connect()
    try {
      return (await client.query<unknown>(sql, [])).rows
    } finally {
      client.release()
    }
  }
  await run('create table kept (number int)')
  const client = await pool.connect()
  await client.query('begin', [])
  await client.query('insert into kept values (1)', [])
  // As with too many open files, or a network folder that is away for a moment.
  const [lock, away] = [join(folder, 'firn.lock'), join(folder, 'away')]
  await rename(lock, away)
  await mkdir(lock)
  vi.useFakeTimers({ toFake: ['Date'], now: steadyNow() + 10_000 })
  for (const end of ['commit', 'rollback']) await expect(client.query(end, [])).rejects.toThrow(StoreUnavailableError)
  client.release()
  await rm(lock, { recursive: true })
  await rename(away, lock)
  await eventually(() => run('insert into kept values (2)'))
  await database?.kill()
  expect(await eventually(() => run('select number from kept'))).toEqual([{ number: 2 }])
  await pool.end()
  await rm(folder, { recursive: true })
})
