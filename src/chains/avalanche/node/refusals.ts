import { JsonRpcError } from '../../../errors.ts'

const METHOD_NOT_FOUND = -32_601

/** What nodes and the gateways before them say of a method that they do not have, or do not let through. */
const NO_METHOD =
  /can't find (method|service)|unsupported method|method .{0,64}\b(not (found|available|allowed|supported|enabled|whitelisted)|disabled)/i

/** The node is of a version, or behind a gateway, without the method. */
export const lacksMethod = (error: unknown): boolean =>
  error instanceof JsonRpcError && (error.rpcCode === METHOD_NOT_FOUND || NO_METHOD.test(error.message))

/**
 * The node says that what was asked for does not exist ("not found" of avm and platform methods). Its other errors come
 * under the same code and may be its own trouble, which says nothing about the thing.
 */
export const saysAbsent = (error: unknown): boolean =>
  error instanceof JsonRpcError &&
  !error.retryable &&
  error.rpcCode !== METHOD_NOT_FOUND &&
  wordsOfAbsence(error.message)

/** The same, of the words alone. */
export const wordsOfAbsence = (message: string): boolean =>
  !NO_METHOD.test(message) && /not found|doesn't create an asset/i.test(message)
