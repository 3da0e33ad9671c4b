import { describe, expect, test } from 'vitest'
import { JsonRpcError } from '../../src/errors.ts'
import { startTestPool } from '../support/upstream/upstream-pool.ts'

const named = (name: string) => ({ answer: () => name })

describe('what the asker doubts', () => {
  const doubts = (said: unknown) => said instanceof JsonRpcError || said === 'nothing'
  const refusing = { faults: { rpcError: { code: -32601, message: 'no such method' } } }

  test('is asked of the next, and nobody is blamed', async () => {
    for (const first of [refusing, named('nothing')]) {
      const { pool } = await startTestPool([first, named('second')])
      for (const batch of [true, false])
        expect(await pool.rpc('', 'eth_call', [batch], { doubts, batch })).toBe('second')
      expect(pool.status()[0]).toMatchObject({ healthy: true, errorRate: 0 })
    }
  })

  test('is believed when all say such things, without a second round', async () => {
    const { pool, servers } = await startTestPool([refusing, refusing])
    await expect(pool.rpc('', 'eth_call', [], { doubts })).rejects.toMatchObject({ rpcCode: -32601, retryable: false })
    expect(servers.map(({ stats }) => stats.requests)).toEqual([1, 1])
    const nothing = await startTestPool([named('nothing'), named('nothing')])
    expect(await nothing.pool.rpc('', 'eth_call', [], { doubts })).toBe('nothing')
  })

  const lacking = { faults: { rpcError: { code: -32601, message: 'the method eth_call does not exist' } } }
  const nothing = named('nothing')
  test.each([[[nothing, nothing, lacking]], [[nothing, lacking, nothing]], [[lacking, nothing, nothing]]])(
    'is nearer to the truth than that a server lacks the method, whoever speaks last: %#',
    async (servers) => {
      const { pool } = await startTestPool(servers)
      expect(await pool.rpc('', 'eth_call', [], { doubts })).toBe('nothing')
    },
  )

  test('is so, too, where it is a refusal', async () => {
    const { pool } = await startTestPool([
      { faults: { rpcError: { code: -32000, message: 'no such token' } } },
      lacking,
    ])
    await expect(pool.rpc('', 'eth_call', [], { doubts })).rejects.toThrow('no such token')
  })

  const behind = { faults: { rpcError: { code: -32000, message: 'header not found' } } }
  test.each([[[behind, nothing]], [[nothing, behind]]])(
    'is further from the truth than that a block is not known yet, whoever speaks last: %#',
    async (servers) => {
      const { pool } = await startTestPool(servers)
      const asked = pool.rpc('', 'eth_call', [], { doubts: (said) => said === 'nothing' })
      await expect(asked).rejects.toThrow('header not found')
    },
  )

  test('is nearer to the truth than silence', async () => {
    const { pool, servers } = await startTestPool([refusing, named('second')])
    await servers[1]?.down()
    await expect(pool.rpc('', 'eth_call', [], { doubts })).rejects.toMatchObject({ rpcCode: -32601 })
  })
})
