import { parentPort, workerData } from 'node:worker_threads'
import { PGlite, type PGliteOptions, parse } from '@electric-sql/pglite'
import { createSyncedFolder } from './synced-folder.ts'
import type { WorkerAnswer, WorkerFailure, WorkerRequest, WorkerRows, WorkerSettings } from './worker-protocol.ts'

/*
 * Entry of the worker thread that runs the embedded Postgres: in the main thread one slow statement would block all
 * HTTP. Run as a separate process it creates a new database and exits. It imports little of this program, since its
 * thread loads every import again.
 */

const SETTINGS = [
  // The process has a budget of a few hundred MB, and the operating system caches the files anyway.
  'shared_buffers=16MB',
  'max_connections=10',
  'work_mem=8MB',
  'maintenance_work_mem=32MB',
  // Compiling costs more than it saves for the short statements here.
  'jit=off',
  // The default, fdatasync, does nothing at all in PGlite.
  'wal_sync_method=fsync',
]

function options(settings: WorkerSettings): PGliteOptions {
  return {
    ...(settings.folder === undefined ? {} : { fs: createSyncedFolder(settings.folder) }),
    ...(settings.archive === undefined ? {} : { loadDataDir: new Blob([new Uint8Array(settings.archive)]) }),
    // -F would switch fsync off: a power loss could then lose committed data.
    startParams: PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
    postgresqlconf: SETTINGS,
    parsers: { 17: (text) => text.slice(2), 20: BigInt },
  }
}

function describe(error: unknown): WorkerFailure {
  const { message, code, detail, constraint, severity, name } = error as Partial<Record<string, unknown>>
  const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
  return {
    // Errors of its file system have only a number.
    message: text(message) || (JSON.stringify(error) ?? String(error)),
    code: text(code),
    detail: text(detail),
    constraint: text(constraint),
    broken: severity === 'PANIC' || severity === 'FATAL' || name === 'RuntimeError',
  }
}

async function answer(database: PGlite, request: WorkerRequest): Promise<WorkerRows | Uint8Array | undefined> {
  switch (request.type) {
    case 'query': {
      const [result] = parse.parseResults(await database.execProtocolStream(request.message), database.parsers)
      const { command = '', affectedRows, rows = [] } = result ?? {}
      return { command, rowCount: affectedRows ?? rows.length, rows }
    }
    case 'archive':
      return new Uint8Array(await (await database.dumpDataDir('none')).arrayBuffer())
    case 'close':
      await database.close()
      return undefined
  }
}

/**
 * Postgres aborts when it cannot continue, on a full disk for example. PGlite ignores that and keeps passing it the
 * rest of the statement for ever.
 */
function whenBroken(database: PGlite, end: (failure: WorkerFailure) => void): void {
  const module = (database as unknown as { mod: { _PostgresMainLoopOnce(): void } }).mod
  const once = module._PostgresMainLoopOnce
  module._PostgresMainLoopOnce = () => {
    try {
      once()
    } catch (error) {
      // Jumps out of a statement are thrown as well, but are no failure.
      const failure = describe(error)
      if (failure.broken) end({ ...failure, message: `is the disk full? ${failure.message}` })
      throw error
    }
  }
}

async function serve(port: NonNullable<typeof parentPort>): Promise<void> {
  const send = (message: WorkerAnswer): void => port.postMessage(message)
  const database = await PGlite.create(options(workerData as WorkerSettings)).catch((error: unknown) => {
    send({ ready: false, failure: describe(error) })
  })
  if (database === undefined) return
  let running: WorkerRequest | undefined
  whenBroken(database, (failure) => {
    if (running) send({ id: running.id, ok: false, failure })
    process.exit(1)
  })
  let last: Promise<void> = Promise.resolve()
  port.on('message', (request: WorkerRequest) => {
    last = last.then(() => {
      running = request
      return answer(database, request).then(
        (value) => send({ id: request.id, ok: true, value }),
        (error: unknown) => send({ id: request.id, ok: false, failure: describe(error) }),
      )
    })
  })
  send({ ready: true })
}

/**
 * A terminal, and what supervises processes, tell all of them to end: whoever wants the database decides what becomes of
 * it, and an ordered end would look like a failure otherwise.
 */
function leaveSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => undefined)
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
else {
  leaveSignals()
  process.once('message', (settings) => void make(settings as WorkerSettings))
}
