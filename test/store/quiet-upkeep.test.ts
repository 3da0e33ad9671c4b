import { Kysely, PostgresDialect } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import type { ConnectionPool } from '../../src/store/connection/pool.ts'
import type { Store } from '../../src/store/index.ts'
import { createProbes } from '../../src/store/probes.ts'
import type { Database } from '../../src/store/schema/index.ts'
import { openMemoryStore } from '../support/store/store.ts'
import { eventually } from '../support/waiting/eventually.ts'

const NAME = 'eip155:7'
const WRITES: [string, (store: Store) => Promise<void>][] = [
  ['a tip that is confirmed', (store) => store.writer.confirmTip(NAME, undefined)],
  ['a probe', (store) => store.probes.write()],
]

it.each(WRITES)('the log of an embedded database on which nothing but %s writes is cut, too', async (_, write) => {
  const pools: ConnectionPool[] = []
  const store = await openMemoryStore((pool) => pools.push(pool))
  onTestFinished(() => store.close())
  await store.writer.register({ name: NAME, kind: 'evm', testnet: false, evmChainId: 7n })
  const log = async (sql: string): Promise<bigint> => {
    const client = await pools[0]?.connect()
    const answer = await client?.query<{ bytes: bigint }>(sql, [])
    client?.release()
    return answer?.rows[0]?.bytes ?? 0n
  }
  const sinceCheckpoint = 'select (pg_current_wal_lsn() - redo_lsn)::int8 as bytes from pg_control_checkpoint()'
  // As some weeks of one write a second leave.
  await log(`select length(pg_logical_emit_message(false, 'test', repeat('x', 65000000))::text)::int8 as bytes`)
  expect(await log(sinceCheckpoint)).toBeGreaterThan(64_000_000n)
  await write(store)
  await eventually(async () => expect(await log(sinceCheckpoint)).toBeLessThan(1_000_000n))
})

it('a probe tells that a write works, and does not wait for what the database does about its tables then', async () => {
  const pools: ConnectionPool[] = []
  const store = await openMemoryStore((pool) => pools.push(pool))
  onTestFinished(() => store.close())
  await store.open()
  const [pool] = pools
  if (!pool) throw new Error('not open')
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool: pool.own }) })
  let considered = 0
  const endless = {
    consider: () => {
      considered += 1
      return new Promise<void>(() => undefined)
    },
  }
  await createProbes(db, { heed: () => undefined }, endless).write()
  expect(considered).toBe(1)
})
