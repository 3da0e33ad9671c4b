import { pino } from 'pino'
import { openStore } from '../../../src/store/index.ts'
import { MIGRATED } from './databases.ts'
import { startPostgres } from './postgres-server.ts'

/* The Postgres of a run of tests (`run-postgres.ts`) with a migrated database to copy; it lives as long as its parent listens. */
const server = await startPostgres(['-c', 'max_connections=400'])
process.once('disconnect', () => void server.stop().then(() => process.exit(0)))
const template = openStore({
  databaseUrl: await server.create(MIGRATED),
  dataDir: '',
  logger: pino({ level: 'silent' }),
})
await template.open()
await template.close()
process.send?.({ url: server.url('postgres') })
