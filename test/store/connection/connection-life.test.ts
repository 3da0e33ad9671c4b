import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { openServerPool } from '../../../src/store/connection/server-pool.ts'
import { useServerStores } from '../../support/store/server-stores.ts'
import { eventually } from '../../support/waiting/eventually.ts'

const { server } = useServerStores()

it('a connection that is always in use is left after a while, so that a name may come to stand for another server', async () => {
  const pool = openServerPool({
    databaseUrl: await server().create('lifetime'),
    size: 1,
    statementTimeoutMs: 10_000,
    maxWaiting: 10,
    lifetimeMs: 50,
    logger: pino({ level: 'silent' }),
  })
  onTestFinished(() => pool.end())
  for (const from of [pool, pool.patient]) {
    const session = async (): Promise<unknown> => {
      const client = await from.connect()
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid', [])
      client.release()
      return rows[0]?.pid
    }
    const first = await session()
    await eventually(async () => expect(await session()).not.toBe(first))
  }
})
