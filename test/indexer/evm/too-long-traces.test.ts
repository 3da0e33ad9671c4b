import { expect, it, onTestFinished } from 'vitest'
import { createBlockTracer } from '../../../src/indexer/evm/block-tracer.ts'
import type { RpcBlock, RpcReceipt } from '../../../src/indexer/evm/rpc-block.ts'
import { recordedLines } from '../../support/recorded/recordings.ts'
import { startTestPool } from '../../support/upstream/upstream-pool.ts'

it('traces that are longer than an answer may be do not count against the server', async () => {
  const limits = { maxResponseBytes: 10_000, breakerFailures: 1 }
  const { pool } = await startTestPool([{ answer: () => 'x'.repeat(20_000) }], { limits })
  onTestFinished(() => pool.close())
  const tracer = createBlockTracer(pool, '')
  const found = recordedLines<{ block: RpcBlock; receipts: RpcReceipt[] }>('c-blocks').find(({ block, receipts }) =>
    tracer.concerns(block, receipts),
  )
  if (!found) throw new Error('no code runs in a recorded block')
  const trace = tracer.trace(found.block, found.receipts, new AbortController().signal)
  await expect(trace).rejects.toThrow('is not traced')
  expect(pool.status()).toMatchObject([{ breaker: 'closed' }])
})
