import { CancelledError, FirnError } from '../../errors.ts'

/**
 * The failure as one account's own trouble, so that the others are still answered.
 * @throws what ends the whole work: a cancelled read, and mistakes of our own.
 */
export function accountFailure(error: unknown): FirnError {
  if (error instanceof CancelledError || !(error instanceof FirnError)) throw error
  return error
}
