import { BadAnswerError, failure } from '../../errors.ts'
import type { Outcome } from '../capabilities.ts'

/** Runs a step that may throw; its error becomes the outcome. */
export const attempt = <T>(work: () => T): Outcome<T> => {
  try {
    return { ok: true, value: work() }
  } catch (error) {
    return failure(error)
  }
}

/** Returns the value of an outcome or throws its error; a missing outcome is an error too. */
export const unwrap = <T>(outcome: Outcome<T> | undefined, what: string): T => {
  if (!outcome) throw new BadAnswerError(`${what} was not answered`)
  if (!outcome.ok) throw outcome.error
  return outcome.value
}
