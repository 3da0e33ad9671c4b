import { encodeAbiParameters } from 'viem'
import { expect, it, onTestFinished } from 'vitest'
import { createContractNames } from '../../../src/indexer/evm/contract-names.ts'
import type { RpcReceipt } from '../../../src/indexer/evm/rpc-block.ts'
import type { FaultServerOptions } from '../../support/upstream/fault-server.ts'
import { startTestPool } from '../../support/upstream/upstream-pool.ts'

const TOKEN = 'aa'.repeat(20)
const NAMES: Record<string, string> = {
  '0x06fdde03': encodeAbiParameters([{ type: 'string' }], ['Honest']),
  '0x95d89b41': encodeAbiParameters([{ type: 'string' }], ['HON']),
  '0x313ce567': encodeAbiParameters([{ type: 'uint8' }], [6]),
}
const log = {
  address: `0x${TOKEN}`,
  topics: ['ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef', '1', '2'].map(
    (topic) => `0x${topic.padStart(64, '0')}`,
  ),
  data: `0x${'3'.padStart(64, '0')}`,
}
const receipts = [{ gasUsed: '0x5208', logs: [log] }] as unknown as RpcReceipt[]

const honest: FaultServerOptions = {
  answer: ({ params }) => NAMES[(params as [{ data: string }])[0].data],
}

async function learn(servers: readonly FaultServerOptions[]) {
  const { pool } = await startTestPool(servers, { spec: (_, priority) => ({ priority }) })
  onTestFinished(() => pool.close())
  return (await createContractNames(pool, '/').learn(receipts, new AbortController().signal)).get(TOKEN)
}

it.each<[string, FaultServerOptions]>([
  ['null', { answer: () => null }],
  ['an object', { answer: () => ({}) }],
  ['text that is no hex', { answer: () => 'Honest' }],
  ['half a byte', { answer: () => '0x0' }],
  ['nothing, as where there is no contract yet', { answer: () => '0x' }],
  ['that it has no such method', { faults: { rpcError: { code: -32_601, message: 'method not found' } } }],
  ['that it allows no calls', { faults: { rpcError: { code: -32_000, message: 'eth_call is not whitelisted' } } }],
])('a name is asked of another server where the first one answers %s', async (_, first) => {
  expect(await learn([first, honest])).toEqual({ name: 'Honest', symbol: 'HON', decimals: 6 })
})

it('a contract that no server has has no name', async () => {
  const none = { answer: () => '0x' }
  expect(await learn([none, none])).toEqual({})
})
