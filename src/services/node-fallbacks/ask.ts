/**
 * Asks a node; resolves to the JSON text of `result`. `endpoint` is a canonical name such as `P` or `info`; left out: the
 * one that was called.
 */
export type Ask = (method: string, params: Record<string, Json>, endpoint?: string) => Promise<string>

export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }
