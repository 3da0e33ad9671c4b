import { accessSync, chmodSync, constants, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { basename, join } from 'node:path'

const PREFIX = 'firn-tests-'

/** Where Linux keeps files in memory, and the type that it calls such a file system by. */
const IN_MEMORY = '/dev/shm'
const TMPFS = 0x01021994
/** A run has used up to half a gigabyte at a time. */
const ROOM = 8 * 1024 ** 3

/**
 * One folder for everything temporary of a run, gone with it. Tests cannot see to that themselves: a worker is ended by a
 * signal, behind which nothing runs any more. The name is short, since paths of sockets end after 107 bytes.
 */
export default function setup(): (() => void) | undefined {
  // Called for each group of files.
  if (isRunFolder(tmpdir())) return undefined
  const folder = mkdtempSync(join(place(), PREFIX))
  // Where the tests run as root, the test Postgres is another user's.
  chmodSync(folder, 0o755)
  process.env['TMPDIR'] = folder
  const discard = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  process.once('exit', discard)
  return discard
}

/** Whether a folder is gone with the run of tests. */
export const isRunFolder = (folder: string): boolean => basename(folder).startsWith(PREFIX)

/**
 * In memory where there is plenty of it: whole databases are made and removed again, and a file there takes a thirtieth of
 * what it takes on some disks.
 */
function place(): string {
  if (process.env['TMPDIR'] !== undefined) return tmpdir()
  try {
    accessSync(IN_MEMORY, constants.W_OK)
    const { type, bavail, bsize } = statfsSync(IN_MEMORY)
    return type === TMPFS && bavail * bsize >= ROOM && freemem() >= ROOM ? IN_MEMORY : tmpdir()
  } catch {
    return tmpdir()
  }
}
