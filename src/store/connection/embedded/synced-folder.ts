import { fsyncSync } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { NodeFS } from '@electric-sql/pglite/nodefs'
import { mapBounded } from '../../../lib/waiting/map-bounded.ts'

/** The part of PGlite's module that handles files of a folder. */
interface FolderModule {
  NODEFS: {
    stream_ops: { fsync?: (stream: { nfd: number }) => void }
    /** Converts system errors into errors for Postgres. */
    tryFSOperation(operation: () => void): void
  }
}

/**
 * The folder of an embedded database, with a real `fsync`. PGlite's own folders answer `fsync` at once and do nothing,
 * so that a power loss could take committed data, or half of a page. `fdatasync` cannot be fixed: see `wal_sync_method`
 * of the settings.
 */
export function createSyncedFolder(folder: string): NodeFS {
  const files = new NodeFS(folder)
  const init = files.init.bind(files)
  files.init = async (database, options) => {
    const { emscriptenOpts } = await init(database, options)
    const teach = ({ NODEFS }: FolderModule): void => {
      NODEFS.stream_ops.fsync = ({ nfd }) => NODEFS.tryFSOperation(() => fsyncSync(nfd))
    }
    const preRun = [...(emscriptenOpts.preRun ?? []), teach as unknown as (module: object) => void]
    return { emscriptenOpts: { ...emscriptenOpts, preRun } }
  }
  return files
}

/** Files that are synced at a time; the system combines what waits together. */
const AT_ONCE = 32

/** Syncs all files of a folder and their names to the disk; creating a database does neither. */
export async function syncTree(folder: string): Promise<void> {
  const names = await readdir(folder, { recursive: true })
  await mapBounded([...names.map((name) => join(folder, name)), folder], AT_ONCE, syncOne)
}

/**
 * Syncs one file, or the names in a folder, to the disk. Some file systems (shared folders of virtual machines, older
 * SMB) do not support this for folders: it is then skipped, as Postgres itself does.
 */
export async function syncOne(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.sync()
  } catch (error) {
    const isMissing = ['EINVAL', 'EBADF', 'ENOTSUP'].includes((error as NodeJS.ErrnoException).code ?? '')
    if (!isMissing || !(await file.stat()).isDirectory()) throw error
  } finally {
    await file.close()
  }
}
