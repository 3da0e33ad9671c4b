/** Longest accepted wait, a day: clocks and servers can be wrong. */
const LONGEST_MS = 86_400_000

/**
 * Reads the header `Retry-After` (RFC 9110, 10.2.3), seconds or an HTTP date, as a wait in milliseconds; undefined when
 * it is not usable. Servers also send fractions of seconds.
 * @param maxMs longer waits are cut to this; at most a day
 */
export function parseRetryAfter(
  header: string | string[] | undefined,
  now: number,
  maxMs = LONGEST_MS,
): number | undefined {
  const text = (Array.isArray(header) ? header[0] : header)?.trim() ?? ''
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, Math.ceil(ms)), maxMs)
}
