import { existsSync } from 'node:fs'
import { mkdir, readdir, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { StoreUnavailableError } from '../../errors.ts'

/** Folders of a Postgres database that contain files from the first start on: if one is missing, data is lost. */
const FILLED = ['base', 'global', 'pg_multixact/members', 'pg_multixact/offsets', 'pg_wal', 'pg_xact']
/** Files without which a folder cannot be recognised as a whole database. */
const FILES = ['PG_VERSION', 'global/pg_control']
/**
 * Folders that are empty, or may be emptied, while no server runs (pg_subtrans is cleared at each start). Postgres does
 * not recreate them.
 */
const MAY_BE_EMPTY = [
  'pg_commit_ts',
  'pg_dynshmem',
  'pg_logical/mappings',
  'pg_logical/snapshots',
  'pg_notify',
  'pg_replslot',
  'pg_serial',
  'pg_snapshots',
  'pg_stat',
  'pg_stat_tmp',
  'pg_subtrans',
  'pg_tblspc',
  'pg_twophase',
  'pg_wal/archive_status',
  'pg_wal/summaries',
]

/** Folder of Postgres' own files. @param folder of the embedded database */
export const dataFolder = (folder: string): string => join(folder, 'data')

/** Whether an embedded database was ever made there; opens and makes nothing. */
export const hasEmbeddedDatabase = (folder: string): boolean => existsSync(dataFolder(folder))

/**
 * Recreates empty folders of a database that were lost in a copy: archives and sync tools often carry files only, and
 * Postgres does not start without them. Existing files are not touched. A folder without any of the database's own
 * marks is left alone.
 *
 * @returns the created folders, by their paths in the database
 * @throws StoreUnavailableError that names what is missing and cannot be recreated
 */
export async function completeDataFolder(data: string): Promise<readonly string[]> {
  const has = (path: string): boolean => existsSync(join(data, path))
  if (![...FILES, ...FILLED].some(has)) return []
  const emptied = await Promise.all(
    FILLED.map(async (path) => !has(path) || (await readdir(join(data, path))).length === 0),
  )
  const lost = [...FILES.filter((path) => !has(path)), ...FILLED.filter((_, index) => emptied[index])]
  if (lost.length > 0)
    throw new StoreUnavailableError(
      `the embedded database in ${data} is not whole, it lacks ${lost.join(', ')}: take a whole copy, or remove the folder to index anew`,
    )
  const missing = MAY_BE_EMPTY.filter((path) => !has(path))
  for (const path of missing) await mkdir(join(data, path), { recursive: true, mode: 0o700 })
  return missing
}

/** Postgres takes 16 MB at a time for its log, also where it only opens, and some more for a checkpoint. */
const ROOM_TO_OPEN_BYTES = 32 * 1024 * 1024

/**
 * Why a database may not have opened that Postgres itself says nothing of: the disk of its folder is full, or nearly.
 *
 * @param disk tells of the disk of a folder
 * @returns text to put behind the failure, empty where there is room
 */
export async function lackOfRoom(
  folder: string,
  disk: (folder: string) => Promise<{ bavail: number; bsize: number }> = statfs,
): Promise<string> {
  const { bavail, bsize } = await disk(folder).catch(() => ({ bavail: Number.POSITIVE_INFINITY, bsize: 1 }))
  const megabytes = (bytes: number): number => Math.floor(bytes / (1024 * 1024))
  if (bavail * bsize >= ROOM_TO_OPEN_BYTES) return ''
  return `; its disk has ${megabytes(bavail * bsize)} MB left, and it needs ${megabytes(ROOM_TO_OPEN_BYTES)} MB to open`
}
