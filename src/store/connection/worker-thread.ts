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
  const [complaint, code] = await Promise.all([
    maker.stderr && text(maker.stderr),
    once(maker, 'close').then(([status]) => status),
  ]).catch((error: unknown) => {
    throw new StoreUnavailableError('the process that makes the embedded database does not start', error)
  })
  if (code !== 0) throw new StoreUnavailableError(`the embedded database cannot be made: ${complaint?.trim() || code}`)
}

function sourceEntry(): URL {
  const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx/esm/api')).href
  const code = `import { register } from ${JSON.stringify(loader)}
register()
await import(${JSON.stringify(entry.href)})`
  return new URL(`data:text/javascript,${encodeURIComponent(code)}`)
}
