import { FirnError } from '../../errors.ts'

/** The answer of a stalled index would be wrong. */
export class StaleIndexError extends FirnError {
  constructor(message: string) {
    super(message, { code: 'STALE_INDEX', status: 503, retryable: true, expose: true })
  }
}
