import type { SharedServer } from './shared-server.ts'

/** Sums that all processes add to. */
export interface SharedCounters {
  /**
   * Adds and answers the sum over all processes; undefined when the server is away.
   * @param expiresAt milliseconds since the epoch: the sum is forgotten then
   */
  add(key: string, units: number, expiresAt: number): Promise<number | undefined>
}

/** One round trip; the end is set by the script that adds, so no sum can stay for ever. One key: any cluster does. */
const ADD = `
local sum = redis.call('INCRBY', KEYS[1], ARGV[1])
if sum == tonumber(ARGV[1]) then redis.call('PEXPIREAT', KEYS[1], ARGV[2]) end
return sum`

export const createSharedCounters = (server: SharedServer): SharedCounters => ({
  add: (key, units, expiresAt) =>
    server.ask(async (client) => {
      const sum = await client.eval(ADD, 1, key, String(units), String(expiresAt))
      if (typeof sum !== 'number') throw new TypeError(`a sum that is no number: ${String(sum)}`)
      return sum
    }),
})
