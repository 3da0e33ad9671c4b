import { fstatSync, write, writeSync } from 'node:fs'
import type { DestinationStream } from 'pino'

/** Most bytes that wait for a slow reader; further lines are lost. */
const MAX_WAITING = 16_777_216
/** Wait between two attempts on a full pipe, milliseconds. */
const FULL_PIPE_MS = 100
/** Attempts when the process ends. */
const LAST_ATTEMPTS = 10

const isFull = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EAGAIN'

/**
 * Writes lines to a descriptor. While it accepts none (a file on a full disk, a pipe that nobody reads), lines are
 * lost. pino's own stream throws such an error at the process, and waits without limit when the process ends: a server
 * with a full log disk neither answered nor ended.
 */
export const createLineOutput = (descriptor: number): DestinationStream =>
  fstatSync(descriptor).isFile() ? createFileOutput(descriptor) : createPipeOutput(descriptor)

/** Synchronous: a file has no reader to wait for, and then holds the last lines of a killed or crashed process. */
function createFileOutput(descriptor: number): DestinationStream {
  /** A part of a line was written, and the rest is lost. */
  let isTorn = false
  return {
    write(line) {
      const all = Buffer.from((isTorn ? '\n' : '') + line)
      let from = 0
      try {
        while (from < all.length) from += writeSync(descriptor, all, from)
      } catch {
        // No more room.
      }
      if (from > 0) isTorn = all[from - 1] !== NEW_LINE
    },
  }
}

function createPipeOutput(descriptor: number): DestinationStream {
  let waiting: string[] = []
  /** Bytes of the waiting lines. */
  let length = 0
  /** Bytes being written. */
  let underWay = 0
  /** What a full pipe has not accepted, until the next attempt. */
  let rest: { all: Buffer; from: number } | undefined
  /** A part of a line was written, and the rest is lost. */
  let isTorn = false

  const take = (): Buffer => {
    const lines = Buffer.from((isTorn ? '\n' : '') + waiting.join(''))
    waiting = []
    length = 0
    isTorn = false
    return lines
  }
  const send = (all: Buffer, from = 0): void => {
    underWay = all.length - from
    write(descriptor, all, from, underWay, null, (error, written) => {
      if (error && isFull(error)) {
        rest = { all, from }
        return void setTimeout(resume, FULL_PIPE_MS)
      }
      if (!error && from + written < all.length) return send(all, from + written)
      const end = error ? from : all.length
      isTorn = end > 0 ? all[end - 1] !== NEW_LINE : all[0] === NEW_LINE
      underWay = 0
      if (waiting.length > 0) send(take())
    })
  }
  const resume = (): void => {
    const left = rest
    rest = undefined
    if (left) send(left.all, left.from)
  }
  process.on('exit', () => {
    const last = take()
    writeLast(descriptor, rest ? Buffer.concat([rest.all.subarray(rest.from), last]) : last)
  })
  return {
    write(line) {
      const bytes = Buffer.byteLength(line)
      if (length + underWay + bytes > MAX_WAITING) return
      waiting.push(line)
      length += bytes
      if (underWay === 0) send(take())
    },
  }
}

const NEW_LINE = 0x0a

/** At an orderly end nothing is lost, and the process does not wait for a reader that is gone. */
function writeLast(descriptor: number, all: Buffer): void {
  let from = 0
  for (let left = LAST_ATTEMPTS; from < all.length && left > 0; ) {
    try {
      from += writeSync(descriptor, all, from)
    } catch (error) {
      if (!isFull(error)) return
      left -= 1
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FULL_PIPE_MS)
    }
  }
}

let standardError: DestinationStream | undefined

/** Standard error, which all loggers of the process share. */
export const openStandardError = (): DestinationStream => {
  standardError ??= createLineOutput(2)
  return standardError
}
