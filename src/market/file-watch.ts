import { readFile, stat } from 'node:fs/promises'
import { messageOf } from '../errors.ts'

/** Content of a file; `parse` runs again only when the file has changed. */
interface WatchedFile<T> {
  /** The latest valid content; undefined until there was any. Never rejects. */
  read(): Promise<T | undefined>
  /** Message of the current problem. */
  trouble(): string | undefined
}

/**
 * Re-reads a small file when its time or size has changed; costs one `stat` per call, or none while the last one is
 * less than `lookMs` old. If a file disappears or breaks, its last valid content stays in force. `onTrouble` is called
 * once per change.
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
  /** What is wrong with the version `seen`; and why the file cannot be accessed. */
  let spoilt: string | undefined
  let unreachable: string | undefined
  let reading: Promise<void> | undefined
  let lookedAt = Number.NEGATIVE_INFINITY

  const take = (read: () => T): string | undefined => {
    try {
      content = read()
      return undefined
    } catch (error) {
      return messageOf(error)
    }
  }

  const look = async (): Promise<void> => {
    const { mtimeMs, size, ino } = await stat(path)
    const version = `${mtimeMs}/${size}/${ino}`
    if (version === seen) return
    const text = size > maxBytes ? undefined : await readFile(path, 'utf8')
    seen = version
    spoilt = text === undefined ? `file is larger than ${maxBytes} bytes` : take(() => parse(text))
  }

  const refresh = async (): Promise<void> => {
    const before = unreachable ?? spoilt
    try {
      await look()
      unreachable = undefined
    } catch (error) {
      // Not counted as seen: it may become accessible again without a change.
      unreachable = messageOf(error)
    }
    const trouble = unreachable ?? spoilt
    if (trouble !== undefined && trouble !== before) onTrouble(trouble)
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
    trouble: () => unreachable ?? spoilt,
  }
}
