import { createHash } from 'node:crypto'
import { readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '../../lib/make-folder.ts'

/** A list as fetched, with the server's version headers. */
export interface KeptList {
  body: string
  etag?: string
  lastModified?: string
  /** Milliseconds of `Date.now()`. */
  fetchedAt: number
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

const optional = (
  head: Record<string, unknown>,
  name: 'etag' | 'lastModified',
): { etag?: string; lastModified?: string } => (typeof head[name] === 'string' ? { [name]: head[name] } : {})

/**
 * Lists on disk, one file per URL: a JSON line with version and checksum, then the unchanged body. The name is a hash,
 * because URLs may carry keys. The file's time is the time of the last fetch or 304.
 */
export const createListCache = (dir: string) => {
  const pathOf = (url: string): string => join(dir, `${sha256(url).slice(0, 32)}.list`)

  return {
    /**
     * Undefined when there is none, or it is damaged or cannot be read now. A damaged one is deleted; another may be
     * readable later: a disk may be away, or the process out of file handles.
     */
    async read(url: string): Promise<KeptList | undefined> {
      const path = pathOf(url)
      const found = await Promise.all([stat(path), readFile(path, 'utf8')]).catch(() => undefined)
      if (found === undefined) return undefined
      const [{ mtimeMs }, text] = found
      try {
        const end = text.indexOf('\n')
        const body = text.slice(end + 1)
        const head = JSON.parse(text.slice(0, end)) as Record<string, unknown>
        if (head['sha256'] !== sha256(body)) throw new Error('damaged')
        return { body, fetchedAt: mtimeMs, ...optional(head, 'etag'), ...optional(head, 'lastModified') }
      } catch {
        await rm(path, { force: true }).catch(() => undefined)
        return undefined
      }
    },
    /** Replaces the file atomically, so that a crash leaves the old or the new one. */
    async write(url: string, { body, etag, lastModified }: Omit<KeptList, 'fetchedAt'>): Promise<void> {
      await makeFolder(dir)
      const path = pathOf(url)
      const head = JSON.stringify({ sha256: sha256(body), etag, lastModified })
      await writeFile(`${path}.new`, `${head}\n${body}`)
      await rename(`${path}.new`, path)
    },
    /** Records that the stored list is still current. */
    async touch(url: string): Promise<void> {
      const now = new Date()
      await utimes(pathOf(url), now, now)
    },
  }
}

export type ListCache = ReturnType<typeof createListCache>
