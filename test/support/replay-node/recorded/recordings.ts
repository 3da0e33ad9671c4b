import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'

/** Lines of an `.ndjson.gz` file; the text stays in one buffer and a line is cut out only when it is asked for. */
export interface RecordedLines {
  readonly length: number
  /** The JSON text of one line. */
  text(index: number): string
  [Symbol.iterator](): Iterator<string>
}

/** A folder of recordings; files are read on first use and kept. */
export interface Recordings {
  readonly directory: string
  has(file: string): boolean
  /** A file as it stands: numbers of the genesis have more digits than JSON.parse keeps. */
  text(file: string): string
  /** Parsed content of a `.json` or `.json.gz` file; the caller names the shape it was recorded with. */
  json<T>(file: string): T
  /** Lines of an `.ndjson.gz` file; a file that is not there has none. */
  lines(file: string): RecordedLines
}

function splitLines(buffer: Buffer): RecordedLines {
  const starts: number[] = []
  for (let at = 0; at < buffer.length; ) {
    const end = buffer.indexOf(10, at)
    const stop = end < 0 ? buffer.length : end
    if (stop > at) starts.push(at)
    at = stop + 1
  }
  const text = (index: number): string => {
    const start = starts[index]
    if (start === undefined) throw new RangeError(`no line ${index}`)
    const end = buffer.indexOf(10, start)
    return buffer.toString('utf8', start, end < 0 ? buffer.length : end)
  }
  return {
    length: starts.length,
    text,
    *[Symbol.iterator]() {
      for (let index = 0; index < starts.length; index++) yield text(index)
    },
  }
}

/** What is replayed to the sandbox has these; `test/fixtures/README.md` tells what else there may be. */
const REQUIRED = [
  'network/network.json',
  'network/platform-state.json',
  ...['p', 'x', 'c'].map((chain) => `network/${chain}-blocks.ndjson.gz`),
]

/** Files that a folder of recordings lacks. */
export const lackingFiles = (folder: string): string[] => REQUIRED.filter((file) => !existsSync(join(folder, file)))

/** Throws when the folder is not a folder of recordings (no `network/network.json`). */
export function openRecordings(folder: string): Recordings {
  const directory = resolve(folder)
  if (!existsSync(join(directory, 'network', 'network.json'))) {
    throw new Error(`${directory} holds no recordings: network/network.json is missing`)
  }
  const kept = new Map<string, unknown>()
  const bytes = (file: string): Buffer => {
    const raw = readFileSync(join(directory, file))
    return file.endsWith('.gz') ? gunzipSync(raw) : raw
  }
  const keep = <T>(file: string, read: () => T): T => {
    if (!kept.has(file)) kept.set(file, read())
    return kept.get(file) as T
  }
  const has = (file: string): boolean => existsSync(join(directory, file))
  return {
    directory,
    has,
    text: (file) => bytes(file).toString('utf8'),
    json: <T>(file: string) => keep(file, () => JSON.parse(bytes(file).toString('utf8')) as T),
    lines: (file) => keep(file, () => splitLines(has(file) ? bytes(file) : Buffer.alloc(0))),
  }
}
