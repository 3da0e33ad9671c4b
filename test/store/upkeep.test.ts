import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import pino from 'pino'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { Database } from '../../src/store/schema/index.ts'
import { createUpkeep } from '../../src/store/upkeep.ts'

/** A database that only says what its own tables of numbers would, and remembers what it was told to do. */
function createTold(rowsOf: (sql: string) => object[] = () => []) {
  const told: string[] = []
  class Driver extends DummyDriver {
    override async acquireConnection() {
      return {
        executeQuery: async ({ sql }: { sql: string }) => {
          told.push(sql.trim().replace(/\s+/g, ' '))
          return { rows: rowsOf(sql) as never[] }
        },
        async *streamQuery() {},
      }
    }
  }
  const db = new Kysely<Database>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new Driver(),
      createIntrospector: (of) => new PostgresIntrospector(of),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
  return { upkeep: createUpkeep(db, pino({ level: 'silent' })), told }
}

it('looks every five seconds what is due, also behind a clock that is set back', async () => {
  onTestFinished(() => void vi.useRealTimers())
  vi.useFakeTimers({ toFake: ['Date', 'performance'] })
  const { upkeep, told } = createTold()
  await upkeep.consider()
  expect(told).toHaveLength(2)
  vi.advanceTimersByTime(4_000)
  await upkeep.consider()
  expect(told).toHaveLength(2)
  vi.setSystemTime(Date.now() - 3_600_000)
  vi.advanceTimersByTime(2_000)
  await upkeep.consider()
  expect(told).toHaveLength(4)
})

it('cleans a table up once, however many come while it does', async () => {
  const table = { name: 'dead', live: 0n, dead: 15_001n, changed: 0n, inserted: 0n }
  const { upkeep, told } = createTold((sql) => (sql.includes('pg_stat_user_tables') ? [table] : []))
  await Promise.all([upkeep.consider(), upkeep.consider(), upkeep.consider()])
  expect(told.filter((sql) => !sql.startsWith('select'))).toEqual(['vacuum analyze "dead"'])
})

it.each([
  [64_000_000n, []],
  [64_000_001n, ['checkpoint']],
])('with %d bytes of log since the last checkpoint does %j', async (bytes, work) => {
  const { upkeep, told } = createTold((sql) => (sql.includes('pg_control_checkpoint') ? [{ bytes }] : []))
  await upkeep.consider()
  expect(told.filter((sql) => !sql.startsWith('select'))).toEqual(work)
})

it('cleans up a table with dead rows, counts one anew that has changed, and leaves the others alone', async () => {
  const table = { live: 100_000n, dead: 0n, changed: 0n, inserted: 0n }
  const tables = [
    { ...table, name: 'still' },
    { ...table, name: 'dead', dead: 15_001n },
    { ...table, name: 'grown', inserted: 75_001n },
    { ...table, name: 'changed', changed: 12_001n },
  ]
  const { upkeep, told } = createTold((sql) => (sql.includes('pg_stat_user_tables') ? tables : []))
  await upkeep.consider()
  expect(told.slice(2)).toEqual(['vacuum analyze "dead"', 'vacuum analyze "grown"', 'analyze "changed"'])
})
