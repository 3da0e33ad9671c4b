import { execFile } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { pino } from 'pino'
import { openEmbeddedPool } from '../../src/store/connection/index.ts'
import { migrate } from '../../src/store/migrations/index.ts'

/** What later runs use, too; what is temporary goes with the run. */
const KEPT = fileURLToPath(new URL('../../node_modules/.cache/firn-test-store', import.meta.url))

/** Making a database takes seconds, loading an archive a fraction of one: it is kept until the migrations change. */
export const migratedArchive = async (): Promise<Uint8Array> => readFile(await archiveFile())

/**
 * Puts a migrated database into the folder of a store before it is opened: to make one there takes a process of its own
 * and five seconds.
 */
export async function putDatabase(storeFolder: string): Promise<void> {
  const data = join(storeFolder, 'data')
  await mkdir(data, { recursive: true, mode: 0o700 })
  await promisify(execFile)('tar', ['-xf', await archiveFile(), '-C', data, '--no-same-owner'])
}

async function archiveFile(): Promise<string> {
  const file = join(KEPT, `${await migrationsHash()}.tar`)
  if (existsSync(file)) return file
  const pool = await openEmbeddedPool({
    folder: undefined,
    statementTimeoutMs: 20_000,
    maxWaiting: 10,
    logger: pino({ level: 'silent' }),
  })
  await migrate(pool.patient)
  const archive = await pool.archive()
  await pool.end()
  await mkdir(KEPT, { recursive: true })
  const draft = `${file}.${randomUUID()}`
  await writeFile(draft, archive)
  await rename(draft, file)
  return file
}

async function migrationsHash(): Promise<string> {
  const folder = new URL('../../src/store/migrations/', import.meta.url)
  const hash = createHash('sha256')
  for (const name of (await readdir(folder)).sort()) hash.update(await readFile(new URL(name, folder)))
  hash.update(await readFile(new URL('../../package-lock.json', import.meta.url)))
  return hash.digest('hex').slice(0, 16)
}
