import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { openServerPool } from '../../../src/store/connection/server-pool.ts'
import { StoreUnavailableError } from '../../../src/store/errors.ts'
import { startPostgres } from '../../support/store/postgres-server.ts'

it('a server with which TLS cannot be spoken is one that is not there', async () => {
  const server = await startPostgres()
  onTestFinished(() => server.stop())
  const limits = { size: 1, statementTimeoutMs: 5_000, maxWaiting: 10, logger: pino({ level: 'silent' }) }
  for (const [options, reason] of [
    ['sslmode=verify-full', 'The server does not support SSL connections'],
    ['sslmode=verify-full&sslrootcert=/nowhere/ca.pem', 'ENOENT'],
  ]) {
    const pool = openServerPool({ ...limits, databaseUrl: `${server.url('postgres')}?${options}` })
    onTestFinished(() => pool.end())
    for (const connect of [pool.connect, pool.patient.connect, pool.lease.connect]) {
      const error = await connect().then(
        () => undefined,
        (reason: unknown) => reason,
      )
      expect(error).toBeInstanceOf(StoreUnavailableError)
      expect((error as Error).message).toMatch(`the database is not there: ${reason}`)
    }
  }
})
