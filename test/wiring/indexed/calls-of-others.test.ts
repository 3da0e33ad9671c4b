import { expect, it, onTestFinished } from 'vitest'
import type { Chains } from '../../../src/chains/index.ts'
import { createContractCalls } from '../../../src/wiring/indexed/contract-calls.ts'
import type { FaultServerOptions } from '../../support/upstream/fault-server.ts'
import { startTestPool } from '../../support/upstream/upstream-pool.ts'

const CALL = { to: `0x${'aa'.repeat(20)}`, data: '0xc87b56dd' }

async function call(servers: readonly FaultServerOptions[]) {
  const { pool } = await startTestPool(servers, { spec: (_, priority) => ({ priority }) })
  onTestFinished(() => pool.close())
  const networks = { testnet: { pool } } as unknown as Chains['networks']
  const calls = createContractCalls({ networks, pools: [] }, async () => new Map([['43113', 'testnet:C']]))
  return calls(43_113n, CALL, new AbortController().signal)
}

const honest = { answer: () => '0xcd' }

it.each<[string, FaultServerOptions]>([
  ['null', { answer: () => null }],
  ['an object', { answer: () => ({}) }],
  ['text that is no hex', { answer: () => 'ipfs://x' }],
  ['nothing, as where there is no contract yet', { answer: () => '0x' }],
  ['that it has no such method', { faults: { rpcError: { code: -32_601, message: 'method not found' } } }],
  ['that it allows no calls', { faults: { rpcError: { code: -32_000, message: 'eth_call is not whitelisted' } } }],
])('what a contract says is asked of another server where the first one answers %s', async (_, first) => {
  expect(await call([first, honest])).toBe('0xcd')
})

it('a refusal of the contract itself is asked of nobody else', async () => {
  const reverted = { faults: { rpcError: { code: 3, message: 'execution reverted' } } }
  await expect(call([reverted, honest])).rejects.toThrow('execution reverted')
})

it('what no server answers with bytes says nothing about the token', async () => {
  await expect(call([{ answer: () => null }])).rejects.toMatchObject({ retryable: true })
})

it('a contract that no server has answers with nothing', async () => {
  expect(await call([{ answer: () => '0x' }, { answer: () => '0x' }])).toBe('0x')
})
