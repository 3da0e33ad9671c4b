import { parentPort, workerData } from 'node:worker_threads'
import { PGlite, type PGliteOptions } from '@electric-sql/pglite'
import type { WorkerAnswer, WorkerFailure, WorkerRequest, WorkerRows, WorkerSettings } from './worker-protocol.ts'

/*
 * Entry of the worker thread that runs the embedded Postgres: in the main thread one slow statement would stop all HTTP.
 * As a process of its own it makes a new database and ends. It imports nothing of this program but types, so that it
 * starts alike from source and from the build.
 */

/** oids of bool, bytea, the numbers, text and uuid, and of arrays of them: they come as text or in binary form already. */
const SENT_TYPES = [16, 17, 20, 21, 23, 25, 1700, 2950, 1000, 1001, 1005, 1007, 1009, 1015, 1016, 1231, 2951]
// The driver binds bytes in binary form, whatever its types say of serializers.
const asSent = (value: unknown): string => (value instanceof Uint8Array ? (value as unknown as string) : String(value))

const SETTINGS = [
  // The whole budget of the process is a few hundred MB, and the operating system caches the files anyway.
  'shared_buffers=16MB',
  'max_connections=10',
  'work_mem=8MB',
  'maintenance_work_mem=32MB',
  // No planner can win back what compiling costs for the short statements here.
  'jit=off',
]

function options(settings: WorkerSettings): PGliteOptions {
  return {
    ...(settings.folder === undefined ? {} : { dataDir: settings.folder }),
    ...(settings.archive === undefined ? {} : { loadDataDir: new Blob([new Uint8Array(settings.archive)]) }),
    // -F would switch fsync off: a power loss could then take committed data.
    startParams: PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
    postgresqlconf: SETTINGS,
    parsers: { 17: (text) => text.slice(2), 20: BigInt },
    serializers: Object.fromEntries(SENT_TYPES.map((oid) => [oid, asSent])),
  }
}

function describe(error: unknown): WorkerFailure {
  const { message, code, detail, constraint } = error as Partial<Record<keyof WorkerFailure, unknown>>
  const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
  return {
    // Errors of its file system have a number only.
    message: text(message) || (JSON.stringify(error) ?? String(error)),
    code: text(code),
    detail: text(detail),
    constraint: text(constraint),
  }
}

async function answer(database: PGlite, request: WorkerRequest): Promise<WorkerRows | Uint8Array | undefined> {
  switch (request.type) {
    case 'query': {
      const result = await database.query(request.sql, [...request.parameters])
      return { command: result.command ?? '', rowCount: result.affectedRows ?? result.rows.length, rows: result.rows }
    }
    case 'archive':
      return new Uint8Array(await (await database.dumpDataDir('none')).arrayBuffer())
    case 'close':
      await database.close()
      return undefined
  }
}

async function serve(port: NonNullable<typeof parentPort>): Promise<void> {
  const send = (message: WorkerAnswer): void => port.postMessage(message)
  const database = await PGlite.create(options(workerData as WorkerSettings)).catch((error: unknown) => {
    send({ ready: false, failure: describe(error) })
  })
  if (database === undefined) return
  let last: Promise<void> = Promise.resolve()
  port.on('message', (request: WorkerRequest) => {
    last = last.then(() =>
      answer(database, request).then(
        (value) => send({ id: request.id, ok: true, value }),
        (error: unknown) => send({ id: request.id, ok: false, failure: describe(error) }),
      ),
    )
  })
  send({ ready: true })
}

async function make(settings: WorkerSettings): Promise<void> {
  try {
    await (await PGlite.create(options(settings))).close()
    process.exit(0)
  } catch (error) {
    process.stderr.write(describe(error).message, () => process.exit(1))
  }
}

if (parentPort !== null) void serve(parentPort)
else process.once('message', (settings) => void make(settings as WorkerSettings))
