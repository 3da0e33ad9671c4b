import type { IncomingMessage } from 'node:http'

/** The address by which wrong passwords of a caller are counted; undefined when its socket is gone. */
export type CallerAddress = (request: IncomingMessage) => string | undefined

/**
 * Each trusted proxy appends the address it was called from to `X-Forwarded-For`: the entry that the outermost of them
 * wrote is the caller's, and whatever stands further left is the caller's own claim.
 * @param hops trusted proxies in a row; 0 = nobody's word is taken for it
 */
export function createCallerAddress(hops: number): CallerAddress {
  return ({ socket, headers }) => {
    if (hops === 0) return socket.remoteAddress
    const told = [headers['x-forwarded-for'] ?? []].flat().join().split(',')
    const named = told.map((entry) => entry.trim()).filter((entry) => entry !== '')
    return named.slice(-hops)[0] ?? socket.remoteAddress
  }
}
