/** Settings of the embedded database's worker. */
export interface WorkerSettings {
  /** Folder of the data; undefined = in memory. */
  folder: string | undefined
  /** Archive of a whole data folder to start from; only for an empty folder. */
  archive: Uint8Array | undefined
}

export type WorkerRequest =
  /** One statement as messages of Postgres' protocol, in memory that is not written to before the answer. */
  { id: number; type: 'query'; message: Uint8Array } | { id: number; type: 'archive' } | { id: number; type: 'close' }

export interface WorkerRows {
  command: string
  rowCount: number
  rows: unknown[]
}

/** Postgres errors cross threads as plain members: a clone keeps only the message of an Error. */
export interface WorkerFailure {
  message: string
  code: string | undefined
  detail: string | undefined
  constraint: string | undefined
  /** Postgres aborted in the middle: its memory is no valid database any more. */
  broken: boolean
}

export type WorkerAnswer =
  | { id: number; ok: true; value: WorkerRows | Uint8Array | undefined }
  | { id: number; ok: false; failure: WorkerFailure }
  | { ready: true }
  | { ready: false; failure: WorkerFailure }
