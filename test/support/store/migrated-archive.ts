import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { pino } from 'pino'
import { openEmbeddedPool } from '../../../src/store/connection/index.ts'
import { migrate } from '../../../src/store/migrations/index.ts'
import { keptBefore, keptFile } from '../programs/kept-file.ts'

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

/** Whether there is one already: to make it takes ten seconds on two cores. */
export const hasArchive = async (): Promise<boolean> => keptBefore(await archiveName()) !== undefined

const archiveName = async (): Promise<string> => `database-${await migrationsHash()}.tar`

/** The file that holds it; where there is none yet it is made in a folder below `place`. */
export async function archiveFile(place = tmpdir()): Promise<string> {
  return keptFile(await archiveName(), () => makeArchive(place))
}

/** In a folder, and not in memory: then what it takes to make a database ends with the process that makes it. */
async function makeArchive(place: string): Promise<Uint8Array> {
  const folder = await mkdtemp(join(place, 'firn-archive-'))
  try {
    const settings = { folder, statementTimeoutMs: 20_000, maxWaiting: 10, logger: pino({ level: 'silent' }) }
    const pool = await openEmbeddedPool(settings)
    try {
      await migrate(pool.patient)
      return await pool.archive()
    } finally {
      await pool.end()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function migrationsHash(): Promise<string> {
  const folder = new URL('../../../src/store/migrations/', import.meta.url)
  const hash = createHash('sha256')
  for (const name of (await readdir(folder)).sort()) hash.update(await readFile(new URL(name, folder)))
  hash.update(await readFile(new URL('../../../package-lock.json', import.meta.url)))
  return hash.digest('hex').slice(0, 16)
}
