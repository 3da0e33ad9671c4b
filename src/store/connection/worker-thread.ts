import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { text } from 'node:stream/consumers'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import { StoreUnavailableError } from '../errors.ts'
import type { WorkerSettings } from './worker-protocol.ts'

const fromSource = import.meta.url.endsWith('.ts')
const entry = new URL(fromSource ? './embedded-worker.ts' : './embedded-worker.js', import.meta.url)

/** Statements and rows are all that lives there for a moment; V8 would let 16 MB of them gather, twice. */
const YOUNG_MB = 4

/**
 * Starts the worker thread of the embedded database, from the build (`.js`) as from the sources (`.ts`). A worker does
 * not inherit the loader that tests and tsx run the sources with, so there it gets one of its own.
 */
export function startWorker(settings: WorkerSettings): Worker {
  // The largest functions of Postgres take 10 to 25 MB each to be compiled, which the C library keeps for the thread
  // that compiled them: one at a time instead of one on each of V8's threads.
  setFlagsFromString('--wasm-num-compilation-tasks=1')
  const options = {
    workerData: settings,
    name: 'firn-store',
    execArgv: [],
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
  }
  return new Worker(fromSource ? sourceEntry() : entry, options)
}

/**
 * Makes a database in a folder by a process of its own: that takes some 760 MB for two seconds, and what a thread takes
 * stays with its process. It may outlive this one by these seconds; nobody else must use the folder then.
 * @throws StoreUnavailableError with what it complained of
 */
export async function makeDatabase(folder: string): Promise<void> {
  const execArgv = fromSource ? ['--import', pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href] : []
  const maker = fork(fileURLToPath(entry), { execArgv, env: {}, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  const settings: WorkerSettings = { folder, archive: undefined }
  // One that ends at once breaks the channel too; how it ended says more.
  maker.send(settings, () => undefined)
  const [complaint, [status, signal]] = await Promise.all([
    maker.stderr && text(maker.stderr),
    once(maker, 'close') as Promise<[number | null, NodeJS.Signals | null]>,
  ]).catch((error: unknown) => {
    throw new StoreUnavailableError('the process that makes the embedded database does not start', error)
  })
  if (status === 0) return
  const why = complaint?.trim() || (signal === null ? `it left with status ${status}` : endedBy(signal))
  throw new StoreUnavailableError(`the embedded database cannot be made: ${why}`)
}

/** SIGKILL is how the system ends what takes more memory than there is; it says so in its own log alone. */
const endedBy = (signal: NodeJS.Signals): string =>
  `its process was ended by ${signal}${signal === 'SIGKILL' ? '; it needs 1 GB of memory for a moment' : ''}`

function sourceEntry(): URL {
  const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx/esm/api')).href
  const code = `import { register } from ${JSON.stringify(loader)}
register()
await import(${JSON.stringify(entry.href)})`
  return new URL(`data:text/javascript,${encodeURIComponent(code)}`)
}
