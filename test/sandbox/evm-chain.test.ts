import { expect, it } from 'vitest'
import { createRpcPool } from '../support/upstream/rpc-pool.ts'
import { startSandboxEvm } from './evm-chain.ts'

it('has Multicall3 and every listed token, and leaves nothing behind', async () => {
  const chain = await startSandboxEvm({ chainId: 1_234 })
  const pool = createRpcPool(chain.url)
  try {
    expect(await pool.rpc('', 'eth_chainId', [])).toBe('0x4d2')
    const codes = await Promise.all(
      [chain.multicall, ...Object.values(chain.tokens)].map((address) =>
        pool.rpc<string>('', 'eth_getCode', [address, 'latest']),
      ),
    )
    expect(codes.every((code) => code.length > 100)).toBe(true)
    const listed = chain.tokenList.tokens.map(({ address }) => address)
    expect(listed).not.toContain(chain.tokens.spam)
    expect(new Set(listed).size).toBe(Object.keys(chain.tokens).length - 2)
  } finally {
    await chain.stop()
  }
  await expect(pool.rpc('', 'eth_chainId', [])).rejects.toThrow('no answer')
  await chain.stop()
  await pool.close()
})
