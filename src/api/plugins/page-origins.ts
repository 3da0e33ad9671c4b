import type { IncomingMessage } from 'node:http'
import { originPattern } from '../../lib/http/origin-pattern.ts'

/** Headers by which the page that sent a request may read its answer: CORS without credentials. */
export type PageOrigins = (request: IncomingMessage) => Readonly<Record<string, string>>

const EVERYONE = { 'access-control-allow-origin': '*' }

/**
 * For refusals that are written before any API, with its own CORS, sees the request.
 * @param origins `*`, or origins and patterns of them, as `http.corsOrigins` has them
 */
export function createPageOrigins(origins: readonly string[]): PageOrigins {
  if (origins.includes('*')) return () => EVERYONE
  const patterns = origins.map(originPattern)
  return ({ headers: { origin } }) => ({
    // Also for origins that are not allowed: otherwise a cache could answer one origin with what another one got.
    vary: 'Origin',
    ...(origin !== undefined && patterns.some((pattern) => pattern.test(origin))
      ? { 'access-control-allow-origin': origin }
      : {}),
  })
}
