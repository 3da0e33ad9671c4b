/**
 * Asks a node; resolves to the JSON text of `result`. `endpoint` is a canonical name such as `P` or `info`; left out: the
 * one that was called. Rejects with an error whose message is the node's own text when that answers with an error.
 */
export type Ask = (method: string, params: Record<string, Json>, endpoint?: string) => Promise<string>

export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

/** A node's text for a method or a service that it does not have. */
const LACKING = /^rpc: can't find (method|service) /

/** True when a question failed because the node does not have the method. */
export const lacksMethod = (error: unknown): boolean => error instanceof Error && LACKING.test(error.message)
