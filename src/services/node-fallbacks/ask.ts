/**
 * Asks a node; resolves to the JSON text of `result`. `endpoint` is a canonical name such as `P` or `info`; left out:
 * the one that was called. If the node answers with an error, rejects with an error whose message is the node's text.
 */
export type Ask = (method: string, params: Record<string, Json>, endpoint?: string) => Promise<string>

export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

/** A node's text for an unknown method or service. */
const LACKING = /^rpc: can't find (method|service) /

/** True when a call failed because the node lacks the method. */
export const lacksMethod = (error: unknown): boolean => error instanceof Error && LACKING.test(error.message)
