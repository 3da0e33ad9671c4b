import type { Worker } from 'node:worker_threads'
import { FirnError } from '../../../errors.ts'
import { TransientMap } from '../../../lib/transient-map.ts'
import { StoreUnavailableError } from '../../errors.ts'
import { databaseError } from '../database-error.ts'
import { lackOfRoom } from './data-folder.ts'
import { createSharedRooms, type SharedRoom } from './shared-room.ts'
import { writeStatement } from './wire-message.ts'
import type { WorkerAnswer, WorkerFailure, WorkerRequest, WorkerRows, WorkerSettings } from './worker-protocol.ts'
import { startWorker } from './worker-thread.ts'

type Unsent = WorkerRequest extends infer R ? (R extends WorkerRequest ? Omit<R, 'id'> : never) : never
type Value = WorkerRows | Uint8Array | undefined

interface Pending {
  resolve(value: Value): void
  reject(error: unknown): void
}

/** The embedded Postgres in its thread. Statements run one after another, in order. */
export interface EmbeddedDatabase {
  query(sql: string, parameters: readonly unknown[]): Promise<WorkerRows>
  /** The whole data folder as one archive, for `WorkerSettings.archive` of another database. */
  archive(): Promise<Uint8Array>
  close(): Promise<void>
  /** Ends the thread without a clean shutdown; as with a killed process, nothing committed in a folder is lost. */
  kill(): Promise<void>
  /** True once the thread has ended, for whatever reason. */
  readonly over: boolean
}

/** A Postgres error from the worker, with the members that drivers give it. */
class EmbeddedError extends FirnError {
  readonly sqlState: string | undefined
  readonly detail: string | undefined
  readonly constraint: string | undefined
  constructor(failure: WorkerFailure) {
    super(failure.message, { code: failure.code ?? 'STORE' })
    this.sqlState = failure.code
    this.detail = failure.detail
    this.constraint = failure.constraint
  }
}

/**
 * Starts the thread and waits until its database has recovered and takes statements (about 0.3 s).
 * @throws StoreUnavailableError when the database cannot be opened
 */
export async function startEmbedded(settings: WorkerSettings): Promise<EmbeddedDatabase> {
  const worker = startWorker(settings)
  const pending = new TransientMap<number, Pending>()
  await ready(worker).catch(async (cause: unknown) => {
    const room = settings.folder === undefined ? '' : await lackOfRoom(settings.folder)
    const { message: why } = cause as { message?: unknown }
    throw new StoreUnavailableError(`the embedded database does not open: ${String(why)}${room}`, cause)
  })
  let over = false
  let broken = false
  worker.on('message', (answer: WorkerAnswer) => {
    settle(pending, answer)
    if (!('failure' in answer && answer.failure.broken)) return
    // Later statements would get no answer, or a wrong one. The files are intact.
    broken = true
    void worker.terminate()
  })
  worker.on('error', (error) => failAll(pending, new StoreUnavailableError('the embedded database broke', error)))
  worker.once('exit', () => {
    over = true
    failAll(pending, new StoreUnavailableError('the embedded database has ended'))
  })
  let lastId = 0
  const ask = (request: Unsent): Promise<Value> =>
    new Promise((resolve, reject) => {
      if (over || broken) return reject(new StoreUnavailableError('the embedded database has ended'))
      const id = ++lastId
      pending.set(id, { resolve, reject })
      worker.postMessage({ ...request, id })
    })
  const takeRoom = createSharedRooms()
  return {
    async query(sql, parameters) {
      let room: SharedRoom | undefined
      const message = writeStatement(sql, parameters, (length) => {
        room = takeRoom(length)
        return room.bytes
      })
      const value = await ask({ type: 'query', message }).finally(() => room?.free())
      if (value === undefined || value instanceof Uint8Array) throw new StoreUnavailableError('no rows came back')
      return value
    },
    async archive() {
      const value = await ask({ type: 'archive' })
      if (!(value instanceof Uint8Array)) throw new StoreUnavailableError('no archive came back')
      return value
    },
    async close() {
      if (!over) await ask({ type: 'close' }).catch(() => undefined)
      await worker.terminate()
    },
    async kill() {
      await worker.terminate()
    },
    get over() {
      return over
    },
  }
}

function ready(worker: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (cause: unknown): void => {
      worker.off('exit', ended)
      void worker.terminate()
      reject(cause)
    }
    const ended = (): void => failed(new Error('its thread ended'))
    worker.once('error', failed)
    worker.once('exit', ended)
    worker.once('message', (answer: WorkerAnswer) => {
      worker.off('error', failed)
      worker.off('exit', ended)
      if ('ready' in answer && answer.ready) resolve()
      else failed('failure' in answer ? answer.failure : new Error('unexpected first message'))
    })
  })
}

function settle(pending: TransientMap<number, Pending>, answer: WorkerAnswer): void {
  if (!('id' in answer)) return
  const waiting = pending.get(answer.id)
  pending.delete(answer.id)
  if (answer.ok) waiting?.resolve(answer.value)
  else if (answer.failure.broken)
    waiting?.reject(new StoreUnavailableError(`the embedded database broke off: ${answer.failure.message}`))
  else waiting?.reject(databaseError(new EmbeddedError(answer.failure)))
}

function failAll(pending: TransientMap<number, Pending>, error: Error): void {
  for (const waiting of pending.values()) waiting.reject(error)
  pending.clear()
}
