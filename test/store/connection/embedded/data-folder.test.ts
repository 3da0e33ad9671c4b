import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, readdir, rm, rmdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { completeDataFolder, lackOfRoom } from '../../../../src/store/connection/embedded/data-folder.ts'
import { makeDatabase } from '../../../../src/store/connection/embedded/worker-thread.ts'
import { openEmbeddedPool } from '../../../../src/store/connection/index.ts'
import { StoreUnavailableError } from '../../../../src/store/errors.ts'
import { descendants } from '../../../support/programs/processes.ts'
import { eventually } from '../../../support/waiting/eventually.ts'
import { until } from '../../../support/waiting/until.ts'

let original = ''
const settings = (folder: string) => ({
  folder,
  statementTimeoutMs: 20_000,
  maxWaiting: 100,
  logger: pino({ level: 'silent' }),
})

/** Tries to open a database three times. */
const OPENING = `import { pino } from 'pino'
  import { openEmbeddedPool } from './src/store/connection/index.ts'
  const settings = { statementTimeoutMs: 20_000, maxWaiting: 100, logger: pino({ level: 'silent' }) }
  for (let tried = 0; tried < 3; tried++)
    await openEmbeddedPool({ folder: process.argv[1], ...settings }).catch(({ code, message }) => console.log(code, message))`

async function folderFor(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'firn-copied-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function query(folder: string, sql: string): Promise<unknown[]> {
  const pool = await openEmbeddedPool(settings(folder))
  const client = await pool.connect()
  const { rows } = await client.query<unknown>(sql, [])
  client.release()
  await pool.end()
  return rows
}

/** As archives do that know files only. */
async function dropEmpty(folder: string): Promise<number> {
  let dropped = 0
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue
    const path = join(folder, entry.name)
    dropped += await dropEmpty(path)
    if ((await readdir(path)).length > 0) continue
    await rmdir(path)
    dropped += 1
  }
  return dropped
}

beforeAll(async () => {
  original = await mkdtemp(join(tmpdir(), 'firn-original-'))
  await query(original, 'create table kept as select 7 as a')
})
afterAll(() => rm(original, { recursive: true, force: true }))

it('opens a copy that has lost its empty folders, with all that is in it', async () => {
  const folder = await folderFor()
  await cp(original, folder, { recursive: true })
  expect(await dropEmpty(folder)).toBeGreaterThan(10)
  expect(await query(folder, 'select * from kept')).toEqual([{ a: 7 }])
})

it('makes exactly what is missing and nothing where nothing is', async () => {
  const folder = await folderFor()
  await cp(original, folder, { recursive: true })
  const data = join(folder, 'data')
  expect(await completeDataFolder(data)).toEqual([])
  const before = await readdir(data, { recursive: true })
  await rm(join(data, 'pg_notify'), { recursive: true })
  await rm(join(data, 'pg_wal/archive_status'), { recursive: true })
  expect(await completeDataFolder(data)).toEqual(['pg_notify', 'pg_wal/archive_status'])
  expect((await readdir(data, { recursive: true })).sort()).toEqual(before.sort())
  const other = await folderFor()
  expect(await completeDataFolder(other)).toEqual([])
  expect(await readdir(other)).toEqual([])
})

it.each([
  ['PG_VERSION', 'PG_VERSION'],
  ['global/pg_control', 'global/pg_control'],
  ['pg_xact', 'pg_xact'],
  ['pg_xact/0000', 'pg_xact'],
])('says what is missing that cannot be made again: %s', async (path, named) => {
  const folder = await folderFor()
  await cp(original, folder, { recursive: true })
  await rm(join(folder, 'data', path), { recursive: true })
  await rm(join(folder, 'data', 'pg_notify'), { recursive: true })
  const opened = openEmbeddedPool(settings(folder))
  await expect(opened).rejects.toThrow(StoreUnavailableError)
  await expect(opened).rejects.toThrow(new RegExp(`is not whole, it lacks ${named}: take a whole copy`))
  expect(await readdir(join(folder, 'data'))).not.toContain('pg_notify')
})

it('counts as away where its folder is or lies in a file', async () => {
  const file = join(await folderFor(), 'file')
  await writeFile(file, '')
  for (const folder of [file, join(file, 'store')]) {
    const opened = openEmbeddedPool(settings(folder))
    await expect(opened).rejects.toThrow(StoreUnavailableError)
    await expect(opened).rejects.toThrow(/^the folder of the embedded database cannot be used \((EEXIST|ENOTDIR)\): /)
  }
})

it('says how much room it lacks where the disk has too little to open it', async () => {
  const megabytes = (count: number) => async () => ({ bavail: count * 256, bsize: 4096 })
  expect(await lackOfRoom('.', megabytes(13))).toBe('; its disk has 13 MB left, and it needs 32 MB to open')
  expect(await lackOfRoom('.', megabytes(32))).toBe('')
  expect(await lackOfRoom(join(await folderFor(), 'gone'))).toBe('')
})

it('leaves nothing in a folder that takes no byte, however often it is tried', async () => {
  const folder = await folderFor()
  // No file may grow, and who writes is told so, as on a full disk.
  const limited = `trap '' XFSZ; ulimit -f 0; exec "$0" --import tsx --input-type=module --eval "$1" "$2"`
  const opener = spawn('sh', ['-c', limited, process.execPath, OPENING, folder], {
    cwd: fileURLToPath(new URL('../../../../', import.meta.url)),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [told] = await Promise.all([text(opener.stdout), once(opener, 'exit')])
  const lines = told.trim().split('\n')
  expect(lines.map((line) => line.split(':')[0])).toEqual(
    Array(3).fill('STORE_UNAVAILABLE the folder of the embedded database cannot be used (EFBIG)'),
  )
  expect(await readdir(folder)).toEqual([])
})

it('says by what the process that makes a database was ended, and how much memory it needs', async () => {
  const folder = await folderFor()
  const made = makeDatabase(folder).then(
    () => 'made',
    (error: Error) => error.message,
  )
  const maker = () => descendants(process.pid).find(({ command }) => command.includes('embedded-worker'))?.pid
  const pid = await eventually(() => maker() ?? Promise.reject(new Error('none yet')))
  process.kill(pid, 'SIGKILL')
  expect(await made).toBe(
    'the embedded database cannot be made: its process was ended by SIGKILL; it needs 1 GB of memory for a moment',
  )
})

it('makes a database to the end although a terminal tells all processes to end: its owner decides', async () => {
  const folder = await folderFor()
  const listeners = process.listenerCount('exit')
  const made = makeDatabase(folder).then(
    () => 'made',
    (error: Error) => error.message,
  )
  expect(process.listenerCount('exit')).toBe(listeners + 1)
  await until(async () => (await readdir(folder)).length > 0, 'it has begun')
  const makers = descendants(process.pid).filter(({ command }) => command.includes('embedded-worker'))
  expect(makers).toHaveLength(1)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) for (const { pid } of makers) process.kill(pid, signal)
  expect(await made).toBe('made')
  expect(process.listenerCount('exit')).toBe(listeners)
})
