import { expect, it, onTestFinished } from 'vitest'
import { createEvmBalanceSource } from '../../../src/chains/evm/index.ts'
import { JsonRpcError } from '../../../src/errors.ts'
import { createUpstreamPool } from '../../../src/upstream/index.ts'
import { startRecorder } from '../../load/balances/recorder.ts'
import { TEST_LIMITS } from '../../support/upstream/upstream-pool.ts'
import {
  account,
  amounts,
  caip2Id,
  chain,
  native,
  noDiscovery,
  read,
  sourceOver,
  truth,
  useTokenChain,
} from './token-chain.ts'

useTokenChain()

/** A source over a node that takes so few calls at once, each for so long. */
async function busySource(latencyMs: number, maxConcurrent: number) {
  const node = await startRecorder(chain.url, latencyMs)
  let sent = 0
  const pool = createUpstreamPool(
    'busy',
    [{ url: node.url }],
    { ...TEST_LIMITS, maxConcurrent },
    { observe: ({ kind }) => void (kind === 'attempt' && sent++) },
  )
  onTestFinished(async () => {
    await pool.close()
    await node.stop()
  })
  const tokens = { tokens: () => chain.tokenList.tokens }
  return { source: createEvmBalanceSource({ caip2Id, native, pool, tokens }), node, sent: () => sent }
}

it('calls that waited in vain for a busy node say nothing about how much it can carry', async () => {
  const { source, node, sent } = await busySource(0, 2)
  await read(source, [account(0)])
  node.latencyMs = 400
  const strangers = Array.from({ length: 60 }, (_, at) => `0x${(at + 1).toString(16).padStart(40, 'a')}`)
  const inTime = strangers.map((owner) => read(source, [owner], Date.now() + 1_500).catch(() => ['late']))
  const late = (await Promise.all(inTime)).flat().filter((one) => typeof one === 'string')
  expect(late.length).toBeGreaterThan(30)
  node.latencyMs = 0
  const before = sent()
  const [balances] = await read(source, [account(1)])
  expect(amounts(balances)).toEqual(
    await truth(
      account(1),
      chain.tokenList.tokens.map(({ address }) => address),
    ),
  )
  // The common call, and one beside it with the tokens that fail for everybody.
  expect(sent() - before).toBeLessThanOrEqual(2)
})

it('a call that a node has had for seconds was too large for it', async () => {
  const { source, node, sent } = await busySource(0, 64)
  await read(source, [account(0)])
  node.latencyMs = 60_000
  await expect(read(source, [account(1)], Date.now() + 3_500)).rejects.toThrow('no answer in time')
  node.latencyMs = 0
  const before = sent()
  const [balances] = await read(source, [account(2)])
  expect(amounts(balances).size).toBeGreaterThan(0)
  expect(sent() - before).toBeGreaterThan(2)
})

it('a call of a single balance that fails says nothing about how many fit', async () => {
  let isSlow = true
  const { source, calls } = sourceOver(
    (call, number) => {
      if (isSlow && call.method === 'eth_call') throw new JsonRpcError('request timed out', -32_000)
      return noDiscovery(call, number)
    },
    { list: [] },
  )
  await expect(read(source, [account(0)])).rejects.toThrow('request timed out')
  isSlow = false
  const before = calls().length
  await read(source, chain.accounts)
  expect(calls().length - before).toBe(1)
})
