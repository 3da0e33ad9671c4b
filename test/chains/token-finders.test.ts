import pino from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { createChains } from '../../src/chains/index.ts'
import { readContext } from '../support/balances/balance-reads.ts'
import { startFaultServer } from '../support/upstream/fault-server.ts'
import { TEST_LIMITS } from '../support/upstream/upstream-pool.ts'

const FIND = 'alchemy_getTokenBalances'

it('each server of a chain is asked for tokens by itself: that one cannot find them says nothing of the others', async () => {
  const start = () => startFaultServer({ answer: ({ method }) => (method === 'eth_chainId' ? '0x7a69' : undefined) })
  const servers = await Promise.all([start(), start()])
  const rpcError = { code: -32601, message: `the method ${FIND} does not exist/is not available`, methods: [FIND] }
  // Balances are not told here: whoever reads waits for them.
  for (const server of servers)
    server.set(({ body }) => (body.includes('eth_call') ? { hang: 'headers' } : { rpcError }))
  const native = { name: 'Ether', symbol: 'ETH', decimals: 18 }
  const upstreams = servers.map(({ url }, priority) => ({ url, priority }))
  const chains = createChains(
    { evm: { 31337: { upstreams, native, blockTimeMs: 2_000 } }, bitcoin: {}, solana: {}, avalanche: {} },
    { limits: TEST_LIMITS, tokens: { tokens: () => [] }, xpubGap: 20, pool: {}, logger: pino({ enabled: false }) },
  )
  onTestFinished(async () => {
    await chains.close()
    await Promise.all(servers.map((server) => server.close()))
  })
  const accounts = [{ id: '0x00000000000000000000000000000000000000aa' }]
  const leave = new AbortController()
  const context = readContext({ signal: leave.signal })
  const reading = chains.byId.get('eip155:31337')?.source.readBalances(accounts, context)
  const askedAt = () => servers.map(({ stats }) => stats.seen.some(({ method }) => method === FIND))
  await expect.poll(askedAt).toEqual([true, true])
  leave.abort()
  await Promise.allSettled([reading])
})
