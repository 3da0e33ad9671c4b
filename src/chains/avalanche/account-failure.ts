import { CancelledError, FirnError } from '../../errors.ts'

/**
 * Returns the failure as one account's own, so that the others are still answered.
 * @throws errors that end all work: a cancelled read, and bugs.
 */
export function accountFailure(error: unknown): FirnError {
  if (error instanceof CancelledError || !(error instanceof FirnError)) throw error
  return error
}
