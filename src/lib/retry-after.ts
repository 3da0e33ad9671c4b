/** Clocks and servers can be wrong: nobody is left alone for longer than a day. */
const LONGEST_MS = 86_400_000

/**
 * The header `Retry-After` (RFC 9110, 10.2.3), seconds or an HTTP date, as a wait in milliseconds; undefined when it says
 * nothing usable. Servers also write parts of seconds.
 * @param maxMs longer waits are cut to this; a day at most
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
