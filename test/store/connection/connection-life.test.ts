import type { PostgresPoolClient } from 'kysely'
import { pino } from 'pino'
import { expect, it, onTestFinished, vi } from 'vitest'
import { openServerPool } from '../../../src/store/connection/server-pool.ts'
import { useServerStores } from '../../support/store/server-stores.ts'

const { server } = useServerStores()

it('a connection that is always in use is left after a while, so that a name may come to stand for another server', async () => {
  const pool = openServerPool({
    databaseUrl: await server().create('lifetime'),
    size: 1,
    statementTimeoutMs: 10_000,
    maxWaiting: 10,
    logger: pino({ level: 'silent' }),
  })
  onTestFinished(() => pool.end())
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const sessionOf = async (client: PostgresPoolClient): Promise<unknown> => {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid', [])
    return rows[0]?.pid
  }
  for (const from of [pool, pool.patient]) {
    const sessions: unknown[] = []
    for (const ms of [299_000, 1_000, 0]) {
      const client = await from.connect()
      sessions.push(await sessionOf(client))
      vi.advanceTimersByTime(ms)
      client.release()
    }
    const [first, second, third] = sessions
    expect(second).toBe(first)
    expect(third).not.toBe(first)
  }
})
