import { JsonRpcError } from '../../../errors.ts'
import { lacksMethod, speaksOfLackingMethod } from '../../../upstream/json-rpc/lacking-method.ts'

/**
 * The node says that the requested thing does not exist ("not found" of avm and platform methods). Its other errors
 * have the same code and may be its own trouble, which says nothing about the thing.
 */
export const saysAbsent = (error: unknown): boolean =>
  error instanceof JsonRpcError && !error.retryable && !lacksMethod(error) && wordsOfAbsence(error.message)

/** The same check on the text alone. */
export const wordsOfAbsence = (message: string): boolean =>
  !speaksOfLackingMethod(message) && /not found|doesn't create an asset/i.test(message)
