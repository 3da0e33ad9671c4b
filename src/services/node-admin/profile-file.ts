import { randomUUID } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeFolder } from '../../lib/make-folder.ts'
import { AdminError } from './admin-error.ts'

/** Private, because profiles contain names of what was processed. */
const MODE = 0o600

/**
 * Writes a file atomically: a reader sees the old or the new content, never a part.
 * @throws AdminError that says what the system said, in a node's words: a full disk, a folder of somebody else
 */
export async function writeProfileFile(path: string, content: string): Promise<void> {
  const draft = `${path}.${randomUUID()}`
  try {
    await makeFolder(dirname(path))
    const file = await open(draft, 'wx', MODE)
    try {
      await file.writeFile(content)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined)
    throw refusal(error, path)
  }
}

function refusal(error: unknown, path: string): unknown {
  const { syscall, message } = error as NodeJS.ErrnoException
  // Such as `ENOSPC: no space left on device, write`.
  const why = /^[A-Z]\w+: ([^,]+)/.exec(message)?.[1]
  return syscall === undefined || why === undefined ? error : new AdminError(`${syscall} ${path}: ${why}`)
}
