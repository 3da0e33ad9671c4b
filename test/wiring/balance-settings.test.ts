import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, it, onTestFinished } from 'vitest'
import type { Config, Partially } from '../../src/config/index.ts'
import { ask } from '../support/balances/balance-api.ts'
import { type Anvil, startAnvil } from '../support/evm/anvil.ts'
import { createStage } from '../support/server/stage.ts'

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
  const native = { name: 'Coin', symbol: 'COIN', decimals: 18 }
  const chain = { name: 'One', upstreams: [{ url: upstream }], native, blockTimeMs }
  const { url } = await stage.serve({ balance, chains: { evm: { [anvil.chainId]: chain } } })
  return async (address: string) => {
    const data = [{ namespace: 'eip155', addresses: [address], references: [String(anvil.chainId)] }]
    const [item] = await ask(url, { data })
    return item?.error ?? BigInt(item?.balances.nativeTokenBalance?.balance ?? -1)
  }
}

/** Two servers behind one address. The second answers of now what was true some blocks ago, and of any block what was true there. */
async function startUnevenPair() {
  let behind = 0
  const server = createServer(async (incoming, outgoing) => {
    const { id, method, params } = (await json(incoming)) as { id: number; method: string; params: unknown[] }
    const newest = Number(await anvil.rpc('eth_blockNumber')) - behind
    const asked = params.map((param) => (param === 'latest' ? `0x${newest.toString(16)}` : param))
    const error = { code: -32_601, message: 'Method not found' }
    const answer = await anvil.rpc<unknown>(method, asked).then(
      (result) => ({ result }),
      () => ({ error }),
    )
    outgoing.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
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
