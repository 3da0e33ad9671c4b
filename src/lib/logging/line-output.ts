import { fstatSync, write, writeSync } from 'node:fs'
import type { DestinationStream } from 'pino'

/** Bytes that wait for a slow reader at most; lines beyond are lost. */
const MAX_WAITING = 16_777_216
/** Between two attempts on a pipe that is full, milliseconds. */
const FULL_PIPE_MS = 100
/** Attempts at the end of the process. */
const LAST_ATTEMPTS = 10

const isFull = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EAGAIN'

/**
 * Lines for a descriptor. Where it takes none (a file on a full disk, a pipe that nobody reads) they are lost until it does
 * again. pino's own stream throws such an error at the process, and at its end waits for room without end: a server whose
 * log's disk was full neither answered nor ended.
 */
export const createLineOutput = (descriptor: number): DestinationStream =>
  fstatSync(descriptor).isFile() ? createFileOutput(descriptor) : createPipeOutput(descriptor)

/** A file has no reader to wait for, and a process that is killed, or runs out of memory, has told there what it last did. */
function createFileOutput(descriptor: number): DestinationStream {
  /** A part of a line was written, and its rest is lost. */
  let isTorn = false
  return {
    write(line) {
      const all = Buffer.from((isTorn ? '\n' : '') + line)
      let from = 0
      try {
        while (from < all.length) from += writeSync(descriptor, all, from)
      } catch {
        // Room for more, or none.
      }
      if (from > 0) isTorn = all[from - 1] !== NEW_LINE
    },
  }
}

function createPipeOutput(descriptor: number): DestinationStream {
  let waiting: string[] = []
  /** Bytes of those. */
  let length = 0
  /** Bytes that are being written. */
  let underWay = 0
  /** What a full pipe has not taken, until the next attempt. */
  let rest: { all: Buffer; from: number } | undefined
  /** A part of a line was written, and its rest is lost. */
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

/** Nothing is lost at an orderly end, and no end waits for a reader that is gone. */
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
