import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import pino from 'pino'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { Database } from '../../src/store/schema/index.ts'
import { createUpkeep } from '../../src/store/upkeep.ts'

it('looks every five seconds what is due, also behind a clock that is set back', async () => {
  onTestFinished(() => void vi.useRealTimers())
  vi.useFakeTimers({ toFake: ['Date', 'performance'] })
  let statements = 0
  const db = new Kysely<Database>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (of) => new PostgresIntrospector(of),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    log: () => {
      statements += 1
    },
  })
  const upkeep = createUpkeep(db, pino({ level: 'silent' }))
  await upkeep.consider()
  expect(statements).toBe(2)
  vi.advanceTimersByTime(4_000)
  await upkeep.consider()
  expect(statements).toBe(2)
  vi.setSystemTime(Date.now() - 3_600_000)
  vi.advanceTimersByTime(2_000)
  await upkeep.consider()
  expect(statements).toBe(4)
})
