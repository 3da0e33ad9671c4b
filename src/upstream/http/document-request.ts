import type { Upstream } from '../upstream.ts'
import type { WireRequest } from './wire.ts'

/** A GET request for a JSON or text document. */
export const documentRequest = (upstream: Upstream, path: string): WireRequest => {
  const { 'content-type': _, ...headers } = upstream.jsonHeaders
  return { method: 'GET', path: upstream.path(path), headers, body: undefined, decode: true }
}
