import { expect, it, onTestFinished } from 'vitest'
import { createHeadShape } from '../../../../../src/api/node/evm/ws/head-shape.ts'
import type { UpstreamLink } from '../../../../../src/api/node/evm/ws/link/upstream-link.ts'
import { readMissed } from '../../../../../src/api/node/evm/ws/missed.ts'
import { createRecentlySent } from '../../../../../src/api/node/evm/ws/subscriptions/recently-sent.ts'
import { createSubscription } from '../../../../../src/api/node/evm/ws/subscriptions/subscription.ts'

const whole = (height: number) => ({ blockNumber: `0x${height.toString(16)}`, hash: `0xt${height}`, value: '0x1' })

/** Calls of the node, the latest last: a method and the height of a block, or of the first one of a range. */
const asked: [method: string, from: number][] = []
/** Last block of the latest range. */
let lastEnd = 0
/** Blocks of the longest range that the node takes. */
let longestRange = 100

/** A node with one transaction, and no log, in each block. */
const link: UpstreamLink = {
  host: 'node',
  call: (method, params, answered) => {
    if (method === 'eth_getLogs') {
      const [{ fromBlock, toBlock }] = JSON.parse(params) as [{ fromBlock: string; toBlock: string }]
      asked.push([method, Number(fromBlock)])
      lastEnd = Number(toBlock)
      const isLong = lastEnd - Number(fromBlock) >= longestRange
      if (isLong) return answered(Buffer.from('{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"range"}}'))
      answered(Buffer.from('{"jsonrpc":"2.0","id":1,"result":[]}'))
      return
    }
    const [number, isWhole] = JSON.parse(params) as [string, boolean]
    const transaction = whole(Number(number))
    asked.push([method, Number(number)])
    const result = { number, transactions: [isWhole ? transaction : transaction.hash] }
    answered(Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, result })))
  },
  pause: () => undefined,
  resume: () => undefined,
  close: () => undefined,
}

it('accepted transactions that were missed have the form that each client asked for', async () => {
  const told = createRecentlySent()
  const begin = (id: string, params: string) =>
    createSubscription('eth_subscribe', Buffer.from(params), { id, upstreamId: id }, 100n, told)
  const subscriptions = [
    begin('hashes', '["newAcceptedTransactions"]'),
    begin('whole', '["newAcceptedTransactions", true]'),
    begin('hashes, too', '["newAcceptedTransactions",false]'),
  ]
  const read = async (asked: typeof subscriptions): Promise<[string, unknown][]> => {
    const found: [string, unknown][] = []
    await readMissed(
      { link, reached: 100n, tip: 101n, shape: createHeadShape(), maxBlocks: 10 },
      asked,
      ({ id }, result) => void found.push([id, JSON.parse(String(result))]),
    )
    return found
  }
  expect(await read(subscriptions)).toEqual([
    ['hashes', '0xt101'],
    ['whole', whole(101)],
    ['hashes, too', '0xt101'],
  ])
  expect(await read(subscriptions.slice(0, 1))).toEqual([['hashes', '0xt101']])
})

/** What is asked and delivered, in the order in which it is, of subscriptions that have heard nothing yet. */
async function missedOf(
  subscriptions: readonly (readonly [params: string, since: bigint, ...heads: number[]])[],
  { reached, tip }: { reached: bigint; tip: bigint },
) {
  const told = createRecentlySent()
  asked.length = 0
  const delivered: string[] = []
  const begun = subscriptions.map(([params, since, ...heads], at) => {
    const ids = { id: `${at}`, upstreamId: `${at}` }
    const one = createSubscription('eth_subscribe', Buffer.from(params), ids, since, told)
    for (const height of heads) one.delivery.isNew(Buffer.from(`{"number":"0x${height.toString(16)}"}`))
    return one
  })
  await readMissed({ link, reached, tip, shape: createHeadShape(), maxBlocks: 10 }, begun, (one, result) => {
    if (!one.delivery.isNew(result)) return
    const said = JSON.parse(String(result)) as string | { number: string }
    delivered.push(`${one.id}: ${typeof said === 'string' ? said : Number(said.number)}`)
  })
  return { asked: asked.map(([method, from]) => `${method} ${from}`), delivered }
}

const blocks = (...heights: number[]): string[] => heights.map((height) => `eth_getBlockByNumber ${height}`)

it('a head that the lost node had told one subscription and not another is read for that one', async () => {
  const heads = '["newHeads"]'
  const missed = await missedOf(
    [
      [heads, 90n, 100],
      [heads, 90n, 99],
    ],
    { reached: 100n, tip: 101n },
  )
  expect(missed).toEqual({ asked: blocks(100, 101), delivered: ['1: 100', '0: 101', '1: 101'] })
})

it('heads that a node had told of others long before it told one subscription are read for that one', async () => {
  const missed = await missedOf([['["newHeads"]', 90n, 95]], { reached: 103n, tip: 104n })
  const heights = [96, 97, 98, 99, 100, 101, 102, 103, 104]
  expect(missed).toEqual({ asked: blocks(...heights), delivered: heights.map((height) => `0: ${height}`) })
})

it('beside them no transaction of long ago is told', async () => {
  const subscriptions = [['["newHeads"]', 90n, 98] as const, ['["newAcceptedTransactions"]', 90n] as const]
  const { delivered } = await missedOf(subscriptions, { reached: 103n, tip: 104n })
  expect(delivered.filter((said) => said.startsWith('1'))[0]).toBe('1: 0xt96')
})

it('who began later is told nothing of before, and of long ago nothing is read again', async () => {
  const accepted = '["newAcceptedTransactions"]'
  const missed = await missedOf(
    [
      [accepted, 10n],
      [accepted, 100n],
    ],
    { reached: 100n, tip: 101n },
  )
  const heights = [93, 94, 95, 96, 97, 98, 99, 100, 101]
  expect(missed.asked).toEqual(blocks(...heights))
  expect(missed.delivered).toEqual([...heights.map((height) => `0: 0xt${height}`), '1: 0xt101'])
})

it('no logs are asked for that a node which is behind cannot have', async () => {
  expect(await missedOf([['["logs",{}]', 10n]], { reached: 100n, tip: 68n })).toEqual({
    asked: ['eth_getLogs 68'],
    delivered: [],
  })
  expect(await missedOf([['["logs",{}]', 10n]], { reached: 100n, tip: 67n })).toEqual({ asked: [], delivered: [] })
})

it('a node that takes no long range of logs is asked for those of the last blocks', async () => {
  longestRange = 10
  onTestFinished(() => {
    longestRange = 100
  })
  const { asked } = await missedOf([['["logs",{}]', 10n]], { reached: 100n, tip: 102n })
  expect(asked).toEqual(['eth_getLogs 68', 'eth_getLogs 93'])
})

it.each([
  ['{"fromBlock":"0x1","toBlock":"0x66"}', ['eth_getLogs 91'], 102],
  ['{"fromBlock":"0x65"}', ['eth_getLogs 101'], 105],
  ['{"fromBlock":"0x1","toBlock":"0x5a"}', [], undefined],
  ['{"fromBlock":"0x100"}', [], undefined],
])('logs that were missed are of the range of the subscription: %s', async (filter, calls, end) => {
  const missed = await missedOf([[`["logs",${filter}]`, 90n]], { reached: 101n, tip: 105n })
  expect(missed.asked).toEqual(calls)
  if (end !== undefined) expect(lastEnd).toBe(end)
})
