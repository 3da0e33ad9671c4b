import { FirnError } from '../errors.ts'

/** The database cannot be reached, is starting, is full or went away. The same call may succeed later. */
export class StoreUnavailableError extends FirnError {
  constructor(message: string, cause?: unknown) {
    super(message, { code: 'STORE_UNAVAILABLE', status: 503, retryable: true, cause })
  }
}

/** Another process holds the embedded database's folder. */
export class StoreLockedError extends FirnError {
  constructor(message: string) {
    super(message, { code: 'STORE_LOCKED', status: 503, expose: true })
  }
}

/** What was read from the database contradicts what this program wrote or can have written. */
export class StoreCorruptError extends FirnError {
  constructor(message: string, cause?: unknown) {
    super(message, { code: 'STORE_CORRUPT', status: 500, cause })
  }
}
