import { passwordStrength } from './strength.ts'

/** Bytes; the node's text says chars. */
const MAX_BYTES = 1_024
/** Only this many bytes are judged: the cost of the estimate grows much faster than the text. */
const JUDGED_BYTES = 50
const LEAST_SCORE = 2

/** A node's requirement for a password, where it refuses without a reason. */
export const isStrongPassword = (password: string): boolean =>
  passwordStrength(Buffer.from(password).subarray(0, JUDGED_BYTES)).score >= LEAST_SCORE

/**
 * Why a new password is refused, with the node's words and order; undefined when it is accepted (avalanchego
 * `utils/password`, used by the auth and keystore APIs).
 */
export function passwordProblem(password: string): string | undefined {
  const bytes = Buffer.from(password)
  if (bytes.length === 0) return 'empty password'
  if (bytes.length > MAX_BYTES) return `password exceeds maximum length of ${MAX_BYTES} chars`
  return isStrongPassword(password) ? undefined : 'password is too weak'
}
