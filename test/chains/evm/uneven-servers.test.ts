import pino from 'pino'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { createChains } from '../../../src/chains/index.ts'
import { readContext } from '../../support/balances/balance-reads.ts'
import { type Anvil, startAnvil } from '../../support/evm/anvil.ts'
import { startFaultServer } from '../../support/upstream/fault-server.ts'
import { TEST_LIMITS } from '../../support/upstream/upstream-pool.ts'

let anvil: Anvil
beforeAll(async () => {
  anvil = await startAnvil()
})
afterAll(() => anvil.stop())

/** A healthy server of the chain that says this to every eth_call. */
async function startUneven(said: object, status = 200) {
  const server = await startFaultServer({
    handle: (_request, body) => {
      const { id, method } = JSON.parse(body.toString()) as { id: number; method: string }
      return method === 'eth_call' ? { status, body: JSON.stringify({ jsonrpc: '2.0', id, ...said }) } : undefined
    },
    answer: ({ method }) => (method === 'eth_chainId' ? `0x${anvil.chainId.toString(16)}` : '0x0'),
  })
  onTestFinished(() => server.close())
  return server
}

/** Reads the native balance of the first account; the first of the servers is preferred. */
function reader(servers: readonly { url: string }[]) {
  const upstreams = servers.map(({ url }, priority) => ({ url, priority }))
  const native = { name: 'ETH', symbol: 'ETH', decimals: 18, internalId: 'NATIVE-eth' }
  const evm = { [String(anvil.chainId)]: { upstreams, native, blockTimeMs: 2_000 } }
  const chains = createChains(
    { evm, bitcoin: {}, solana: {}, avalanche: {} },
    { limits: TEST_LIMITS, tokens: { tokens: () => [] }, xpubGap: 20, pool: {}, logger: pino({ enabled: false }) },
  )
  onTestFinished(() => chains.close())
  return async () => {
    const id = anvil.accounts[0] as string
    const found = await chains.byId.get(`eip155:${anvil.chainId}`)?.source.readBalances([{ id }], readContext())
    const outcome = found?.get(id)
    return outcome?.ok ? outcome.value.native : outcome?.error.message
  }
}

const RICH = 10_000n * 10n ** 18n
const refusal = (code: number, message: string) => ({ error: { code, message } })

it.each([
  refusal(-32601, 'the method eth_call does not exist/is not available'),
  refusal(-32004, 'Method not supported'),
  refusal(-32000, 'method eth_call is not whitelisted'),
  refusal(-32000, 'Unauthorized: You must authenticate your request with an API key'),
  refusal(-32602, 'invalid params: to is required'),
  { result: '0x' },
  { result: '0x0100' },
  { result: `0x${'00'.repeat(32)}` },
  // Begins like the reader's output, and ends in the middle of a record, or of a byte.
  { result: `0x01${'00'.repeat(27)}` },
  { result: `0x01${'00'.repeat(26)}0` },
  { result: null },
  { result: 5 },
])('a server that answers eth_call with %j leaves it to the next', async (said) => {
  const first = await startUneven(said)
  const read = reader([first, anvil])
  expect([await read(), await read()]).toEqual([RICH, RICH])
  // It was asked, and is not blamed for what it does not do.
  expect(first.stats.seen.length + first.stats.requests).toBeGreaterThan(0)
})

// As free plans of public providers say it.
it.each([
  [200, refusal(30, 'Request timeout on the free tier, please upgrade your tier to the paid one')],
  [408, refusal(30, 'Request timeout on the free plan, please upgrade to paid plan')],
  [500, refusal(19, 'Temporary internal error. Please retry, trace-id: d13566efdd917dc22e5249387856f00d')],
  [503, refusal(-32011, 'no backend is currently healthy to serve traffic')],
  [200, refusal(-32000, 'block not found: 25000000')],
  [200, refusal(-32000, 'historical state 197e625e06733f288535c0b41d266082 is not available')],
])('trouble that a server tells of with status %d is asked of the next: %j', async (status, said) => {
  const read = reader([await startUneven(said, status), anvil])
  expect([await read(), await read()]).toEqual([RICH, RICH])
})

it('a refusal is the answer when nobody says anything else, and other methods are tried after it', async () => {
  const servers = await Promise.all([
    startUneven(refusal(-32601, 'no eth_call here')),
    startUneven(refusal(-32601, 'nor here')),
  ])
  await expect(reader(servers)()).rejects.toThrow(/here/)
  // Three methods are tried; one of two servers being down does not keep the others from their turn.
  await servers[1]?.down()
  await expect(reader(servers)()).rejects.toThrow('no eth_call here')
})
