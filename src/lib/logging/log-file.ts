import { closeSync, fstatSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

export interface LogFile {
  write(line: string): void
  close(): void
}

/** Private: a log shows who asked for what. */
const MODE = 0o600
/** Like a node's: 8 MB each, seven old files. */
const MAX_BYTES = 8_000_000
const KEPT = 7

/**
 * A file that is opened by its first line and whose size is bounded: a full one becomes `<file>.1`, that one
 * `<file>.2`, and so on. A full disk must not end the process: lines are lost then.
 */
export function createLogFile(path: string, options: { maxBytes?: number; kept?: number } = {}): LogFile {
  const { maxBytes = MAX_BYTES, kept = KEPT } = options
  let descriptor: number | undefined
  let size = 0

  const close = (): void => {
    if (descriptor !== undefined) closeSync(descriptor)
    descriptor = undefined
  }
  const open = (): number => {
    if (descriptor !== undefined) return descriptor
    mkdirSync(dirname(path), { recursive: true })
    descriptor = openSync(path, 'a', MODE)
    size = fstatSync(descriptor).size
    return descriptor
  }
  const rotate = (): void => {
    close()
    rmSync(`${path}.${kept}`, { force: true })
    for (let age = kept - 1; age >= 0; age -= 1) {
      const from = age === 0 ? path : `${path}.${age}`
      try {
        renameSync(from, `${path}.${age + 1}`)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      }
    }
  }
  return {
    write(line) {
      try {
        open()
        if (size > 0 && size + line.length > maxBytes) rotate()
        size += writeSync(open(), line)
      } catch {
        close()
      }
    },
    close,
  }
}
