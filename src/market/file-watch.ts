import { readFile, stat } from 'node:fs/promises'

/** Content of a file; `parse` runs again only when the file has changed. */
interface WatchedFile<T> {
  /** The newest good content; undefined until there was any. Never rejects. */
  read(): Promise<T | undefined>
  /** Message of the latest trouble, while it lasts. */
  trouble(): string | undefined
}

/**
 * Re-reads a small file when its time or size has changed; costs one `stat` a call, or none while the last one is
 * younger than `lookMs`. A file that is gone or broken leaves the last good content in force. `onTrouble` is told once
 * per change.
 */
export const watchFile = <T>(
  path: string,
  parse: (text: string) => T,
  maxBytes: number,
  onTrouble: (message: string) => void,
  lookMs = 0,
): WatchedFile<T> => {
  let seen = ''
  let content: T | undefined
  let trouble: string | undefined
  let reading: Promise<void> | undefined
  let lookedAt = Number.NEGATIVE_INFINITY

  const refresh = async (): Promise<void> => {
    try {
      const { mtimeMs, size, ino } = await stat(path)
      const version = `${mtimeMs}/${size}/${ino}`
      if (version === seen) return
      seen = version
      if (size > maxBytes) throw new Error(`file is larger than ${maxBytes} bytes`)
      content = parse(await readFile(path, 'utf8'))
      trouble = undefined
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      if (message !== trouble) onTrouble(message)
      trouble = message
    }
  }

  return {
    async read() {
      if (performance.now() - lookedAt < lookMs) return content
      reading ??= refresh().finally(() => {
        reading = undefined
        lookedAt = performance.now()
      })
      await reading
      return content
    },
    trouble: () => trouble,
  }
}
