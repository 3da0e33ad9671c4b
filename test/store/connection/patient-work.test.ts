import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { openServerPool } from '../../../src/store/connection/index.ts'
import { startPostgres } from '../../support/store/postgres-server.ts'
import { eventually } from '../../support/waiting/eventually.ts'

/** Longest wait of a read. */
const READ_MS = 300
/** More than there are connections for such work. */
const MANY = 8

it('work that may take minutes waits for a connection for longer than a read may take', async () => {
  const server = await startPostgres()
  onTestFinished(() => server.stop())
  const databaseUrl = await server.create('patient_work')
  const settings = { statementTimeoutMs: READ_MS, maxWaiting: 100, logger: pino({ level: 'silent' }) }
  const pool = openServerPool({ ...settings, databaseUrl, size: 1 })
  onTestFinished(() => pool.end())

  const taken: { release(): void }[] = []
  const failed: unknown[] = []
  const all = Array.from({ length: MANY }, () =>
    pool.patient.connect().then(
      (client) => taken.push(client),
      (error: unknown) => failed.push(error),
    ),
  )
  await eventually(() => expect(taken.length).toBeGreaterThan(0))
  const read = await pool.connect()
  await expect(read.query('select pg_sleep(3600)', [])).rejects.toThrow('late')
  read.release()

  expect(taken.length).toBeLessThan(MANY)
  const isOver = Promise.all(all).then(() => true)
  for (let given = 0; given < MANY; given++) {
    await eventually(() => expect(taken.length + failed.length).toBeGreaterThan(given))
    taken[given]?.release()
  }
  expect([await isOver, failed]).toEqual([true, []])
})
