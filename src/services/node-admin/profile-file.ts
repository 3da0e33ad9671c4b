import { randomUUID } from 'node:crypto'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Private, because profiles contain names of what was processed. */
const MODE = 0o600

/** Writes a file atomically: a reader sees the old or the new content, never a part. */
export async function writeProfileFile(path: string, content: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  const draft = `${path}.${randomUUID()}`
  try {
    const file = await open(draft, 'wx', MODE)
    try {
      await file.writeFile(content)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}
