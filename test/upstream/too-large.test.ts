import { describe, expect, test } from 'vitest'
import { UpstreamUnavailableError } from '../../src/errors.ts'
import { startTestPool } from '../support/upstream/upstream-pool.ts'

const tooLarge = { handle: () => ({ status: 413, body: '<html>413 Request Entity Too Large</html>' }) }

describe('a request that is larger than a server takes', () => {
  test('is not repeated there, and does not count against it', async () => {
    const { pool, servers } = await startTestPool([tooLarge])
    // As many as open a breaker.
    for (let at = 0; at < 5; at += 1) {
      const call = pool.rpc('', 'eth_call', [at], { batch: false })
      await expect(call).rejects.toThrow(UpstreamUnavailableError)
      await expect(call).rejects.toThrow('status 413')
    }
    expect([servers[0]?.stats.requests, pool.status()[0]?.breaker]).toEqual([5, 'closed'])
  })

  test('is taken by another one', async () => {
    const { pool, servers } = await startTestPool([tooLarge, {}])
    expect(await pool.rpc('', 'eth_call', [7], { batch: false })).toEqual({ echo: [7] })
    expect(servers.map(({ stats }) => stats.requests)).toEqual([1, 1])
  })
})
