import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { syncOne } from '../../../../src/store/connection/embedded/synced-folder.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'firn-synced-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Commits so many times, in a database that is made where there is none. */
const WRITER = `import { pino } from 'pino'
  import { openEmbeddedPool } from './src/store/connection/index.ts'
  const [folder, commits] = process.argv.slice(1)
  const logger = pino({ level: 'silent' })
  const pool = await openEmbeddedPool({ folder, statementTimeoutMs: 60_000, maxWaiting: 10, logger })
  const client = await pool.connect()
  await client.query('create table if not exists written (number int)', [])
  for (let number = 0; number < Number(commits); number++) await client.query('insert into written values (1)', [])
  client.release()
  await pool.end()`

interface TraceEvent {
  name: string
  ph: string
}

/** Runs the writer and counts, by what Node.js itself notes of its threads, how often it has the system sync a file. */
async function syncs(commits: number): Promise<{ byDatabase: number; ofMaking: number }> {
  const trace = join(folder, `trace-${commits}.json`)
  const tracing = ['--trace-event-categories', 'node.fs.sync,node.fs.async', '--trace-event-file-pattern', trace]
  const writer = ['--import', 'tsx', '--input-type=module', '--eval', WRITER, join(folder, 'store'), String(commits)]
  const child = spawn(process.execPath, [...tracing, ...writer], {
    cwd: fileURLToPath(new URL('../../../../', import.meta.url)),
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  expect(await once(child, 'exit')).toEqual([0, null])
  const { traceEvents } = JSON.parse(await readFile(trace, 'utf8')) as { traceEvents: TraceEvent[] }
  const count = (name: string, phase: string) => traceEvents.filter((e) => e.name === name && e.ph === phase).length
  return { byDatabase: count('fs.sync.fsync', 'B'), ofMaking: count('fsync', 'b') }
}

it('has each commit on the disk before it is told, and all that making a database wrote', async () => {
  const made = await syncs(0)
  const files = await readdir(join(folder, 'store/data'), { recursive: true })
  expect(files.length).toBeGreaterThan(500)
  expect(made.ofMaking).toBeGreaterThan(files.length - 20)
  const written = await syncs(200)
  expect(written.ofMaking).toBe(0)
  expect(written.byDatabase).toBeGreaterThanOrEqual(200)
})

it.skipIf(process.platform !== 'linux')(
  'does without for folders where the file system has no such thing, and for no file',
  async () => {
    // Of what Linux shows of its processes nothing can be brought to a disk.
    await syncOne('/proc/self')
    await expect(syncOne('/proc/self/status')).rejects.toMatchObject({ code: 'EINVAL' })
  },
)
