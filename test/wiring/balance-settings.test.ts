import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, it, onTestFinished } from 'vitest'
import type { Config, Partially } from '../../src/config/index.ts'
import { scrape, sumOf } from '../metrics/scrape.ts'
import { ask } from '../support/balances/balance-api.ts'
import { type Anvil, startAnvil } from '../support/evm/anvil.ts'
import { createStage } from '../support/server/stage.ts'
import { eventually } from '../support/waiting/eventually.ts'

const GIFT = 7n
/** How far one of the servers behind the address is behind the other. */
const BEHIND = 50

const stage = createStage()
let anvil: Anvil
afterEach(async () => {
  await stage.clear()
  await anvil.stop()
})

/** A server that reads this chain; what an account has, or its error. */
async function serve(upstream: string, blockTimeMs: number, balance: Partially<Config['balance']> = {}) {
  const { read } = await serveAt(upstream, blockTimeMs, balance)
  return read
}

async function serveAt(upstream: string, blockTimeMs: number, balance: Partially<Config['balance']>, more = {}) {
  const native = { name: 'Coin', symbol: 'COIN', decimals: 18 }
  const chain = { name: 'One', upstreams: [{ url: upstream }], native, blockTimeMs }
  const { url } = await stage.serve({ ...more, balance, chains: { evm: { [anvil.chainId]: chain } } })
  const read = async (address: string) => {
    const data = [{ namespace: 'eip155', addresses: [address], references: [String(anvil.chainId)] }]
    const [item] = await ask(url, { data })
    return item?.error ?? BigInt(item?.balances.nativeTokenBalance?.balance ?? -1)
  }
  return { url, read }
}

/** Stands before the chain. `tell` gives the result of a call; undefined = the server fails. */
async function startServer(tell: (method: string, params: unknown[]) => Promise<unknown>) {
  const server = createServer(async (incoming, outgoing) => {
    const { id, method, params } = (await json(incoming)) as { id: number; method: string; params: unknown[] }
    const error = { code: -32_601, message: 'Method not found' }
    const answer = await tell(method, params).then(
      (result) => (result === undefined ? undefined : { result }),
      () => ({ error }),
    )
    outgoing.writeHead(answer ? 200 : 503).end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** Two servers behind one address. The second answers of now what was true some blocks ago, and of any block what was true there. */
async function startUnevenPair() {
  let behind = 0
  const { url } = await startServer(async (method, params) => {
    const newest = Number(await anvil.rpc('eth_blockNumber')) - behind
    return anvil.rpc<unknown>(
      method,
      params.map((param) => (param === 'latest' ? `0x${newest.toString(16)}` : param)),
    )
  })
  return {
    url,
    useSecond: () => {
      behind = BEHIND
    },
  }
}

it.each([
  ['1 s: that is 50 s, and the block told before is read again', 1_000, GIFT],
  ['0.1 s: that is 5 s, as servers differ', 100, 0n],
])('an answer of 50 blocks before on a chain with a block each %s', async (_, blockTimeMs, told) => {
  anvil = await startAnvil()
  const [from = ''] = anvil.accounts
  const [first, second] = ['01', '02'].map((end) => `0x${end.padStart(40, 'a')}`) as [string, string]
  await anvil.rpc('anvil_mine', ['0x64'])
  for (const to of [first, second]) await anvil.send({ from, to, value: GIFT })
  const pair = await startUnevenPair()
  const read = await serve(pair.url, blockTimeMs)
  expect(await read(first)).toBe(GIFT)
  pair.useSecond()
  expect(await read(second)).toBe(told)
})

it.each([
  [60_000, 10_000n * 10n ** 18n],
  [0, expect.stringContaining('no upstream of the chain')],
])('balance.maxStaleMs %d: what is told of a chain that fails', async (maxStaleMs, told) => {
  anvil = await startAnvil()
  const [rich = ''] = anvil.accounts
  const read = await serve(anvil.url, 1_000, { maxStaleMs })
  expect(await read(rich)).toBe(10_000n * 10n ** 18n)
  await anvil.stop()
  // For so long an answer counts as current.
  await sleep(1_100)
  expect(await read(rich)).toEqual(told)
})

it('what is told of a chain that was reset and cannot be read yet: not what accounts had on the old one', async () => {
  anvil = await startAnvil()
  const [rich = ''] = anvil.accounts
  await anvil.rpc('anvil_mine', ['0x64'])
  let isAnew = false
  const { server, url: upstream } = await startServer(async (method, params) => {
    if (!isAnew) return anvil.rpc<unknown>(method, params)
    return method === 'eth_blockNumber' ? '0x3' : undefined
  })
  const { url, read } = await serveAt(
    upstream,
    1_000,
    { maxStaleMs: 3_600_000 },
    // The height is asked for all the time.
    { upstream: { breakerFailures: 1_000 } },
  )
  expect(await read(rich)).toBe(10_000n * 10n ** 18n)
  await eventually(async () => expect(sumOf(await scrape(url), 'firn_upstream_height')).toBe(100))
  isAnew = true
  server.closeAllConnections()
  await eventually(async () => expect(await read(rich)).toContain('no upstream of the chain'))
})
