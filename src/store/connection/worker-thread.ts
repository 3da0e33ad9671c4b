import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { WorkerSettings } from './worker-protocol.ts'

/**
 * Starts the worker thread of the embedded database, from the build (`.js`) as from the sources (`.ts`). A worker does
 * not inherit the loader that tests and tsx run the sources with, so there it gets one of its own.
 */
export function startWorker(settings: WorkerSettings): Worker {
  const fromSource = import.meta.url.endsWith('.ts')
  const entry = new URL(fromSource ? './embedded-worker.ts' : './embedded-worker.js', import.meta.url)
  const options = { workerData: settings, name: 'firn-store', execArgv: [] }
  return new Worker(fromSource ? sourceEntry(entry) : entry, options)
}

function sourceEntry(entry: URL): URL {
  const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx/esm/api')).href
  const code = `import { tsImport } from ${JSON.stringify(loader)}
await tsImport(${JSON.stringify(entry.href)}, ${JSON.stringify(import.meta.url)})`
  return new URL(`data:text/javascript,${encodeURIComponent(code)}`)
}
