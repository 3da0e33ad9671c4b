import { expect, it, onTestFinished } from 'vitest'
import { AnswerTooLargeError } from '../../../src/errors.ts'
import { createEvmBlockReader } from '../../../src/indexer/evm/index.ts'
import type { RpcBlock, RpcReceipt } from '../../../src/indexer/evm/rpc-block.ts'
import { recordedLines } from '../../support/recorded/recordings.ts'
import type { Faults } from '../../support/upstream/fault-server.ts'
import { startTestPool } from '../../support/upstream/upstream-pool.ts'

const { signal } = new AbortController()
const [found] = recordedLines<{ block: RpcBlock; receipts: RpcReceipt[] }>('c-blocks')
  .filter(({ receipts }) => receipts.length > 1)
  .sort((a, b) => JSON.stringify(b.receipts).length - JSON.stringify(a.receipts).length)
if (!found) throw new Error('no recorded block has two transactions')
const { block, receipts } = found
const wanted = [{ height: BigInt(block.number), id: block.hash.slice(2) }]
const lengths = receipts.map((one) => JSON.stringify(one).length)

/** A server whose answers are taken up to this many bytes. */
async function reader(maxResponseBytes: number, faults: Faults = {}) {
  const answer = ({ method, params }: { method: string; params: unknown }) => {
    if (method === 'eth_getBlockByNumber') return block
    if (method === 'eth_getBlockReceipts') return receipts
    if (method === 'eth_getTransactionReceipt')
      return receipts.find(({ transactionHash }) => transactionHash === (params as [string])[0])
    return '0x'
  }
  const { pool } = await startTestPool([{ answer, faults }], { limits: { maxResponseBytes, breakerFailures: 1 } })
  onTestFinished(() => pool.close())
  return { pool, read: () => createEvmBlockReader(pool, '').read(wanted, signal) }
}

it('receipts of a block that are too long for one answer are read one by one, and no server is blamed', async () => {
  const { read, pool } = await reader(Math.max(...lengths) + 1_000)
  const [told] = await read()
  expect(told?.receipts).toEqual(receipts)
  expect(pool.status()).toMatchObject([{ breaker: 'closed' }])
})

it('a single receipt that is too long is an error, and no server is blamed', async () => {
  const { read, pool } = await reader(Math.max(...lengths) - 1_000)
  await expect(read()).rejects.toThrow(AnswerTooLargeError)
  expect(pool.status()).toMatchObject([{ breaker: 'closed' }])
})

it.each([
  { code: -32_003, message: 'response too large' },
  { code: -32_000, message: 'Log response size exceeded' },
])('they are read one by one, too, where a limit of the server is exceeded: %o', async (error) => {
  const { read, pool } = await reader(10_000_000, { rpcError: { ...error, methods: ['eth_getBlockReceipts'] } })
  const [told] = await read()
  expect(told?.receipts).toEqual(receipts)
  expect(pool.status()).toMatchObject([{ breaker: 'closed' }])
})
