import type { SharedServer } from './shared-server.ts'

/** Sums that all processes add to. */
export interface SharedCounters {
  /**
   * Adds and resolves to the sum over all processes; undefined when the server is unavailable. If the sum would exceed
   * `limit`, that sum is returned and nothing is added.
   * @param expiresAt milliseconds of this process's clock: when the sum is deleted
   */
  add(key: string, units: number, expiresAt: number, limit?: number): Promise<number | undefined>
}

/**
 * One round trip; the script that adds also sets the expiry, so no sum can stay forever, and sets it relative to now:
 * by the server's clock, which may differ, it may already be over. One key: works with any cluster.
 */
const ADD = `
local sum = redis.call('INCRBY', KEYS[1], ARGV[1])
if sum == tonumber(ARGV[1]) then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
if sum > tonumber(ARGV[3]) then redis.call('DECRBY', KEYS[1], ARGV[1]) end
return sum`

export const createSharedCounters = (server: SharedServer): SharedCounters => ({
  add: (key, units, expiresAt, limit = Number.MAX_SAFE_INTEGER) =>
    server.ask(async (client) => {
      const life = Math.max(1, Math.ceil(expiresAt - Date.now()))
      const sum = await client.eval(ADD, 1, key, String(units), String(life), String(limit))
      if (typeof sum !== 'number') throw new TypeError(`a sum that is no number: ${String(sum)}`)
      return sum
    }),
})
