import { expect, it, onTestFinished } from 'vitest'
import { readEvmChainId } from '../../src/indexer/evm-chain-id.ts'
import { startTestPool } from '../support/upstream/upstream-pool.ts'

const { signal } = new AbortController()

async function read(told: readonly unknown[]) {
  const servers = told.map((one) => ({ answer: () => one }))
  const { pool } = await startTestPool(servers, { spec: (_, priority) => ({ priority }) })
  onTestFinished(() => pool.close())
  return readEvmChainId(pool, '', signal)
}

it.each([null, {}, '43114', '0x', `0x${'f'.repeat(17)}`])(
  'the chain id is asked of another server where one tells %j',
  async (said) => {
    expect(await read([said, '0xa86a'])).toBe(43_114n)
    await expect(read([said])).rejects.toThrow('no chain id')
  },
)

it('the chain id is asked of another server where one refuses the method', async () => {
  const rpcError = { code: -32_601, message: 'method not found' }
  const { pool } = await startTestPool([{ faults: { rpcError } }, { answer: () => '0xa86a' }], {
    spec: (_, priority) => ({ priority }),
  })
  onTestFinished(() => pool.close())
  expect(await readEvmChainId(pool, '', signal)).toBe(43_114n)
})
