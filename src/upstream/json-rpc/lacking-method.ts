import { JsonRpcError } from '../../errors.ts'

const METHOD_NOT_FOUND = -32_601

/** What nodes, and the gateways in front of them, say of a method that they do not have or do not allow. */
const NO_METHOD =
  /can't find (method|service)|unsupported method|method .{0,64}\b(not (found|available|allowed|supported|enabled|whitelisted)|disabled)/i

export const speaksOfLackingMethod = (message: string): boolean => NO_METHOD.test(message)

/** The node's version does not have the method, or its gateway does not allow it. */
export const lacksMethod = (error: unknown): boolean =>
  error instanceof JsonRpcError && (error.rpcCode === METHOD_NOT_FOUND || speaksOfLackingMethod(error.message))
