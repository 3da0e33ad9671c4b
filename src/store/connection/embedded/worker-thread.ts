import { fork } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import { compiledSource } from '../../../lib/compiled-source.ts'
import { StoreUnavailableError } from '../../errors.ts'
import type { WorkerSettings } from './worker-protocol.ts'

let compiled: string | undefined

/** What the thread runs, a path: the build's own file, or that of the sources, compiled once. */
function entry(): string {
  if (!import.meta.url.endsWith('.ts')) return fileURLToPath(new URL('./worker.js', import.meta.url))
  compiled ??= compiledSource(new URL('./worker.ts', import.meta.url))
  return compiled
}

/** Only statements and rows are short-lived there; V8 would let 16 MB of them accumulate, twice. */
const YOUNG_MB = 4

/**
 * Starts the worker thread of the embedded database, from the build (`.js`) or the sources (`.ts`): a worker does not
 * inherit the loader that tests and tsx use for these.
 */
export function startWorker(settings: WorkerSettings): Worker {
  // Compiling the largest functions of Postgres takes 10 to 25 MB each, which the C library keeps for the thread that
  // compiled them: so one at a time, not one on each of V8's threads.
  setFlagsFromString('--wasm-num-compilation-tasks=1')
  const options = {
    workerData: settings,
    name: 'firn-store',
    execArgv: [],
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
  }
  return new Worker(entry(), options)
}

/**
 * Creates a database in a folder with a separate process: it takes some 760 MB for two seconds, and memory taken by a
 * thread stays with its process. It ends with this process, unless that is killed: then it may outlive it by these
 * seconds; nobody else may use the folder then.
 * @throws StoreUnavailableError with its complaint
 */
export async function makeDatabase(folder: string): Promise<void> {
  const maker = fork(entry(), { execArgv: [], env: {}, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  // First of what is done at the end: others may remove the folder.
  const end = (): void => void maker.kill('SIGKILL')
  process.prependOnceListener('exit', end)
  const settings: WorkerSettings = { folder, archive: undefined }
  // A process that ends at once breaks the channel too; its exit says more.
  maker.send(settings, () => undefined)
  const [complaint, [status, signal]] = await Promise.all([
    maker.stderr && text(maker.stderr),
    once(maker, 'close') as Promise<[number | null, NodeJS.Signals | null]>,
  ])
    .catch((error: unknown) => {
      throw new StoreUnavailableError('the process that makes the embedded database does not start', error)
    })
    .finally(() => process.off('exit', end))
  if (status === 0) return
  const why = complaint?.trim() || (signal === null ? `it left with status ${status}` : endedBy(signal))
  throw new StoreUnavailableError(`the embedded database cannot be made: ${why}`)
}

/** The system uses SIGKILL when memory runs out, and says so only in its own log. */
const endedBy = (signal: NodeJS.Signals): string =>
  `its process was ended by ${signal}${signal === 'SIGKILL' ? '; it needs 1 GB of memory for a moment' : ''}`
