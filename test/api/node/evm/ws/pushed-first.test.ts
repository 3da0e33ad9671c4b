import { expect, it, onTestFinished } from 'vitest'
import { createFeed, type FeedDeps } from '../../../../../src/api/node/evm/ws/feed.ts'
import type { LinkEvents } from '../../../../../src/api/node/evm/ws/link/upstream-link.ts'

/** A client with one subscription at a node at block 100; says in which order blocks were noted and told. */
async function subscribed(params: string) {
  let events: LinkEvents | undefined
  let ids = 0
  const order: string[] = []
  const connect: FeedDeps['connect'] = async (given) => {
    events = given
    return {
      host: 'node',
      call: (method, _params, answered) => {
        if (method === 'eth_subscribe') ids += 1
        const result = method === 'eth_subscribe' ? `0x${ids}` : '0x64'
        answered(Buffer.from(`{"jsonrpc":"2.0","id":1,"result":"${result}"}`))
      },
      pause: () => undefined,
      resume: () => undefined,
      close: () => undefined,
    }
  }
  const feed = createFeed({
    ...{ connect, restoreMs: 0, maxMissedBlocks: 0, idleLinkMs: 0 },
    send: () => void order.push('told'),
    onHead: (host, height) => void order.push(`${host} has ${height}`),
    onBroken: () => undefined,
    share: () => true,
  })
  onTestFinished(feed.close)
  await new Promise((resolve) => feed.subscribe('eth_subscribe', Buffer.from(params), Buffer.from('7'), resolve))
  order.length = 0
  const push = (id: number, result: object): void =>
    events?.onNotification(
      Buffer.from(
        JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params: { subscription: `0x${id}`, result } }),
      ),
    )
  return { order, toWatch: (result: object) => push(1, result), toClient: (result: object) => push(2, result) }
}

const LOG = { blockNumber: '0x65', blockHash: '0xb', logIndex: '0x0' }

it.each([
  ['a head', '["newHeads"]', { number: '0x65', hash: '0xb' }],
  ['a log', '["logs",{}]', { ...LOG, removed: false }],
  ['a transaction as a whole', '["newAcceptedTransactions",true]', { hash: '0xc', blockNumber: '0x65' }],
])(
  '%s that a node pushes before it tells the feed itself of the block shows that block',
  async (_what, params, result) => {
    const { order, toClient } = await subscribed(params)
    toClient(result)
    expect(order).toEqual(['node has 101', 'told'])
  },
)

it('a log that was taken back shows no block', async () => {
  const { order, toClient } = await subscribed('["logs",{}]')
  toClient({ ...LOG, removed: true })
  expect(order).toEqual(['told'])
})

it('what comes late shows no block to be the newest', async () => {
  const { order, toWatch, toClient } = await subscribed('["logs",{}]')
  toWatch({ number: '0x66', hash: '0xd' })
  toClient(LOG)
  expect(order).toEqual(['node has 102', 'told'])
})
