import { describe, expect, test } from 'vitest'
import { UpstreamUnavailableError } from '../../src/errors.ts'
import { startTestPool } from '../support/upstream/upstream-pool.ts'

const named = (name: string) => ({ answer: () => name })

describe('calls that belong together go to one upstream', () => {
  test('to the one that answered the first of them, while others go where they like', async () => {
    const { pool, servers } = await startTestPool([named('first'), named('second')])
    const sameServer = {}
    servers[0]?.set({ status: 503 })
    expect(await pool.rpc('', 'eth_call', [1], { sameServer })).toBe('second')
    servers[0]?.set()
    const told = []
    for (let n = 2; n < 12; n++) told.push(await pool.rpc('', 'eth_call', [n], { sameServer }))
    expect(new Set(told)).toEqual(new Set(['second']))
  })

  test('no other one is asked when that one fails, and its failure is the answer', async () => {
    const { pool, servers } = await startTestPool([named('first'), named('second')])
    const sameServer = {}
    expect(await pool.rpc('', 'eth_call', [1], { sameServer })).toBe('first')
    servers[0]?.set({ status: 503 })
    const asked = servers[1]?.stats.requests
    await expect(pool.rpc('', 'eth_call', [2], { sameServer })).rejects.toThrow(UpstreamUnavailableError)
    expect(servers[1]?.stats.requests).toBe(asked)
    expect(await pool.rpc('', 'eth_call', [2])).toBe('second')
  })

  test('their answers are not those that somebody else is waiting for', async () => {
    const { pool, servers } = await startTestPool([named('first'), named('second')])
    const sameServer = {}
    await pool.rpc('', 'eth_call', [1], { sameServer })
    servers[0]?.set({ status: 503 })
    const [free, bound] = await Promise.allSettled([
      pool.rpc('', 'eth_call', [2]),
      pool.rpc('', 'eth_call', [2], { sameServer }),
    ])
    expect(free).toMatchObject({ status: 'fulfilled', value: 'second' })
    expect(bound.status).toBe('rejected')
  })
})
