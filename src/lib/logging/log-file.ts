import { closeSync, fstatSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolderNow } from '../make-folder.ts'

export interface LogFile {
  write(line: string): void
  close(): void
}

/** Private: a log shows who asked for what. */
const MODE = 0o600
/** Like a node's: 8 MB each, seven old files. */
const MAX_BYTES = 8_000_000
const KEPT = 7
const NEW_LINE = 10

/**
 * A file that is opened by its first line and whose size is bounded: a full one becomes `<file>.1`, that one
 * `<file>.2`, and so on. A full disk must not end the process: lines are lost then.
 */
export function createLogFile(path: string, options: { maxBytes?: number; kept?: number } = {}): LogFile {
  const { maxBytes = MAX_BYTES, kept = KEPT } = options
  let descriptor: number | undefined
  let size = 0
  /** A part of a line was written, and the rest is lost: the next one must not stand on its end. */
  let isTorn = false

  const close = (): void => {
    if (descriptor !== undefined) closeSync(descriptor)
    descriptor = undefined
  }
  const open = (): number => {
    if (descriptor !== undefined) return descriptor
    makeFolderNow(dirname(path))
    descriptor = openSync(path, 'a', MODE)
    size = fstatSync(descriptor).size
    return descriptor
  }
  const rotate = (): void => {
    close()
    isTorn = false
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
  const put = (file: number, all: Buffer): void => {
    let from = 0
    try {
      while (from < all.length) from += writeSync(file, all, from)
    } finally {
      size += from
      if (from > 0) isTorn = from < all.length && all[from - 1] !== NEW_LINE
    }
  }
  return {
    write(line) {
      try {
        open()
        if (size > 0 && size + line.length > maxBytes) rotate()
        put(open(), Buffer.from((isTorn ? '\n' : '') + line))
      } catch {
        close()
      }
    },
    close,
  }
}
