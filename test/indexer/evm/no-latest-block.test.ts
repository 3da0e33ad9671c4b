import { expect, it, onTestFinished } from 'vitest'
import { createEvmBlockReader } from '../../../src/indexer/evm/index.ts'
import { createUpstreamPool } from '../../../src/upstream/index.ts'
import { startFaultServer } from '../../support/upstream/fault-server.ts'
import { startTestPool, TEST_LIMITS } from '../../support/upstream/upstream-pool.ts'

const BLOCK = { number: '0x7', hash: `0x${'ab'.repeat(32)}`, parentHash: `0x${'cd'.repeat(32)}` }
const signal = new AbortController().signal

it.each([
  { name: 'nothing', said: null },
  { name: 'no block', said: {} },
])('the newest block is asked of another server where one tells $name', async ({ said }) => {
  const servers = await Promise.all([said, BLOCK].map((told) => startFaultServer({ answer: () => told })))
  const specs = servers.map(({ url }, priority) => ({ url, priority }))
  const pool = createUpstreamPool('l1', specs, { ...TEST_LIMITS, hedgeMinMs: 0 })
  onTestFinished(async () => {
    await pool.close()
    for (const server of servers) await server.close()
  })
  const reader = createEvmBlockReader(pool, '')
  expect(await reader.tip(signal)).toEqual({ height: 7n, id: 'ab'.repeat(32) })
  expect(await reader.hashAt(7n, signal)).toBe('ab'.repeat(32))
  expect(servers[0]?.stats.seen.length).toBeGreaterThan(0)
})

it('the hash of a block is asked of another server where one tells a block of another height', async () => {
  const { pool } = await startTestPool(
    ['0x6', '0x7'].map((number) => ({ answer: () => ({ ...BLOCK, number, hash: `0x${number[2]?.repeat(64)}` }) })),
    { spec: (_, priority) => ({ priority }) },
  )
  onTestFinished(() => pool.close())
  const reader = createEvmBlockReader(pool, '')
  expect(await reader.hashAt(7n, signal)).toBe('7'.repeat(64))
  expect(await reader.hashAt(8n, signal)).toBeUndefined()
})
