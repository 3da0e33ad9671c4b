import { expect, it, onTestFinished, vi } from 'vitest'
import { createFeed, type FeedDeps } from '../../../../../src/api/node/evm/ws/feed.ts'
import type { LinkEvents, UpstreamLink } from '../../../../../src/api/node/evm/ws/link/upstream-link.ts'
import { createMessageRoom } from '../../../../../src/api/node/evm/ws/message-room.ts'
import { eventually } from '../../../../support/waiting/eventually.ts'
import { gate } from '../../../../support/waiting/gate.ts'
import { until } from '../../../../support/waiting/until.ts'

const ERROR = '{"code":-32000,"message":"not now"}'

/** A node that answers each method as told, and the connections to it. */
function startNode(memberFor: (method: string) => string) {
  const open = new Set<UpstreamLink>()
  const node = {
    open,
    connections: 0,
    connect: async (_events: LinkEvents, without: ReadonlySet<string>): Promise<UpstreamLink> => {
      if (without.has('node')) throw new Error('no other')
      const link: UpstreamLink = {
        host: 'node',
        call: (method, _params, answered) => answered(Buffer.from(`{"jsonrpc":"2.0","id":1,${memberFor(method)}}`)),
        pause: () => undefined,
        resume: () => undefined,
        close: () => void open.delete(link),
      }
      node.connections += 1
      open.add(link)
      return link
    },
  }
  return node
}

const startFeed = (connect: FeedDeps['connect'], idleLinkMs: number) => {
  const events = { send: () => undefined, onHead: () => undefined, onBroken: () => undefined }
  const feed = createFeed({ connect, ...events, share: () => true, restoreMs: 0, maxMissedBlocks: 0, idleLinkMs })
  const subscribed = (method = 'eth_subscribe'): Promise<Buffer | undefined> =>
    new Promise((resolve) => feed.subscribe(method, Buffer.from('["newHeads"]'), Buffer.from('7'), resolve))
  return { feed, subscribed }
}

it('leaves no connection open at a node that takes subscriptions and does not say its height', async () => {
  const node = startNode((method) => (method === 'eth_subscribe' ? '"result":"0x1"' : `"error":${ERROR}`))
  const { feed, subscribed } = startFeed(node.connect, 0)
  expect([await subscribed(), await subscribed()]).toEqual([undefined, undefined])
  feed.close()
  expect(node.connections).toBe(2)
  expect(node.open.size).toBe(0)
})

it('an id that is given again is another one to the client, and nothing else of the answer changes', async () => {
  const node = startNode((method) => (method === 'eth_subscribe' ? '"result":"2"' : '"result":"0x1"'))
  const { feed, subscribed } = startFeed(node.connect, 0)
  expect(String(await subscribed())).toBe('{"jsonrpc":"2.0","id":7,"result":"2"}')
  expect(String(await subscribed())).toMatch(/^\{"jsonrpc":"2\.0","id":7,"result":"0x[0-9a-f]{32}"\}$/)
  feed.close()
})

it('replaces a lost node for no longer where the clock is set back meanwhile', async () => {
  const { now } = Date
  const clock = vi.spyOn(Date, 'now')
  onTestFinished(() => clock.mockRestore())
  let lose: (() => void) | undefined
  const connect: FeedDeps['connect'] = async (events) => {
    if (lose) {
      clock.mockImplementation(() => now() - 3_600_000)
      throw new Error('nobody there')
    }
    lose = () => events.onLost()
    return {
      host: 'node',
      call: (_method, _params, answered) => answered(Buffer.from('{"jsonrpc":"2.0","id":1,"result":"0x1"}')),
      pause: () => undefined,
      resume: () => undefined,
      close: () => undefined,
    }
  }
  const broken = new Promise<string>((onBroken) => {
    const events = { send: () => undefined, onHead: () => undefined, onBroken }
    const feed = createFeed({
      connect,
      ...events,
      share: () => true,
      restoreMs: 200,
      maxMissedBlocks: 0,
      idleLinkMs: 0,
    })
    feed.subscribe('eth_subscribe', Buffer.from('["newHeads"]'), Buffer.from('7'), () => lose?.())
  })
  expect(await broken).toBe('no node could take over the subscriptions')
})

it('parameters that a client leaves out are no empty list to the node, which has another error for that', async () => {
  const asked: string[] = []
  const link: UpstreamLink = {
    host: 'node',
    call: (method, params, answered) => {
      const isClients = method === 'eth_subscribe' && params !== '["newHeads"]'
      if (isClients) asked.push(params)
      answered(Buffer.from(`{"jsonrpc":"2.0","id":1,${isClients ? `"error":${ERROR}` : '"result":"0x1"'}}`))
    },
    pause: () => undefined,
    resume: () => undefined,
    close: () => undefined,
  }
  const feed = createFeed({
    connect: async () => link,
    send: () => undefined,
    onHead: () => undefined,
    onBroken: () => undefined,
    share: () => true,
    restoreMs: 0,
    maxMissedBlocks: 0,
    idleLinkMs: 0,
  })
  const subscribe = (params: Buffer | undefined): Promise<Buffer | undefined> =>
    new Promise((resolve) => feed.subscribe('eth_subscribe', params, Buffer.from('7'), resolve))
  for (const params of [undefined, Buffer.from('[]')]) await subscribe(params)
  feed.close()
  expect(asked).toEqual(['null', '[]'])
})

it('what a node pushes while what was missed is read again has no more room than the messages of clients', async () => {
  const room = createMessageRoom(1_000_000)
  const links: LinkEvents[] = []
  const connect: FeedDeps['connect'] = async (events) => {
    links.push(events)
    const isFirst = links.length === 1
    let asked = 0
    return {
      host: 'node',
      call: (_method, _params, answered) => {
        asked += 1
        // The second one does not take the client's subscription, and pushes all the same.
        if (isFirst || asked === 1) answered(Buffer.from(`{"jsonrpc":"2.0","id":1,"result":"0x${asked}"}`))
      },
      pause: () => undefined,
      resume: () => undefined,
      close: () => undefined,
    }
  }
  const log = Buffer.from(`{"params":{"subscription":"0x9","result":"${'0'.repeat(400_000)}"}}`)
  let reason: string | undefined
  const feed = createFeed({
    connect,
    send: () => undefined,
    onHead: () => undefined,
    onBroken: (given) => {
      reason = given
    },
    share: room.enter(),
    restoreMs: 5_000,
    maxMissedBlocks: 0,
    idleLinkMs: 0,
  })
  await new Promise((resolve) => feed.subscribe('eth_subscribe', Buffer.from('["logs"]'), Buffer.from('7'), resolve))
  links[0]?.onLost()
  await eventually(() => expect(links).toHaveLength(2))
  const reasons = [1, 2, 3].map(() => {
    links[1]?.onNotification(log)
    return reason
  })
  expect(reasons).toEqual([undefined, undefined, 'too much arrived while the subscriptions were moved'])
  expect(room.enter()(1_000_000)).toBe(true)
})

it('keeps its connection for a moment without subscriptions: who takes one and gives it back in turns needs one', async () => {
  const node = startNode(() => '"result":"0x1"')
  const { feed, subscribed } = startFeed(node.connect, 500)
  for (let count = 0; count < 20; count++) {
    await subscribed()
    expect(feed.unsubscribe('0x1')).toBe(true)
  }
  expect([node.connections, node.open.size]).toEqual([1, 1])
  await eventually(() => expect(node.open.size).toBe(0))
  await subscribed()
  expect([node.connections, node.open.size]).toEqual([2, 1])
  feed.close()
  expect(node.open.size).toBe(0)
})

it('keeps no connection for a subscription that the node refused', async () => {
  const node = startNode((method) => (method === 'debug_subscribe' ? `"error":${ERROR}` : '"result":"0x1"'))
  const { feed, subscribed } = startFeed(node.connect, 50)
  onTestFinished(feed.close)
  await subscribed()
  feed.unsubscribe('0x1')
  await eventually(() => expect(node.open.size).toBe(0))
  expect(String(await subscribed('debug_subscribe'))).toContain('not now')
  expect(node.connections).toBe(2)
  await eventually(() => expect(node.open.size).toBe(0))
})

it('a pending transaction that the next node hears of later comes once, and twice from a node that says it twice', async () => {
  const links: LinkEvents[] = []
  const sent: string[] = []
  let ids = 0
  const connect: FeedDeps['connect'] = async (events) => {
    links.push(events)
    const resultOf = (method: string): string => {
      if (method !== 'eth_subscribe') return '0x1'
      ids += 1
      return `0x${ids}`
    }
    return {
      host: 'node',
      call: (method, _params, answered) =>
        answered(Buffer.from(`{"jsonrpc":"2.0","id":1,"result":"${resultOf(method)}"}`)),
      pause: () => undefined,
      resume: () => undefined,
      close: () => undefined,
    }
  }
  const send = (message: Buffer): void => void sent.push(JSON.parse(String(message)).params.result)
  const events = { send, onHead: () => undefined, onBroken: () => undefined }
  const feed = createFeed({ connect, ...events, share: () => true, restoreMs: 0, maxMissedBlocks: 0, idleLinkMs: 0 })
  const params = Buffer.from('["newPendingTransactions"]')
  await new Promise((resolve) => feed.subscribe('eth_subscribe', params, Buffer.from('7'), resolve))
  const say = (link: number, subscription: string, result: string): void =>
    links[link]?.onNotification(Buffer.from(JSON.stringify({ jsonrpc: '2.0', params: { subscription, result } })))
  // Each connection begins with the feed's own subscription. A node says so twice when it prefers another block.
  for (const hash of ['0xa', '0xa', '0xb']) say(0, '0x2', hash)
  links[0]?.onLost()
  await until(() => ids === 4, 'the subscription at the next node')
  for (const hash of ['0xb', '0xc']) say(1, '0x4', hash)
  await until(() => sent.includes('0xc'), 'what is new there')
  feed.close()
  expect(sent).toEqual(['0xa', '0xa', '0xb', '0xc'])
})

it('what was told comes once from a node that is many blocks behind the one that was lost, too', async () => {
  const links: LinkEvents[] = []
  const sent: unknown[] = []
  const heads: bigint[] = []
  let ids = 0
  const connect: FeedDeps['connect'] = async (events) => {
    links.push(events)
    const tip = links.length === 1 ? '0x64' : '0x46'
    return {
      host: 'node',
      call: (method, _params, answered) => {
        if (method === 'eth_subscribe') ids += 1
        answered(Buffer.from(`{"jsonrpc":"2.0","id":1,"result":"${method === 'eth_subscribe' ? `0x${ids}` : tip}"}`))
      },
      pause: () => undefined,
      resume: () => undefined,
      close: () => undefined,
    }
  }
  const send = (message: Buffer): void => void sent.push(JSON.parse(String(message)).params.result.blockHash)
  const onHead = (_host: string, height: bigint): void => void heads.push(height)
  const events = { send, onHead, onBroken: () => undefined }
  const feed = createFeed({ connect, ...events, share: () => true, restoreMs: 0, maxMissedBlocks: 0, idleLinkMs: 0 })
  onTestFinished(feed.close)
  await new Promise((resolve) => feed.subscribe('eth_subscribe', Buffer.from('["logs"]'), Buffer.from('7'), resolve))
  const say = (link: number, subscription: string, result: object): void =>
    links[link]?.onNotification(Buffer.from(JSON.stringify({ jsonrpc: '2.0', params: { subscription, result } })))
  const log = (height: number) => ({ blockHash: `block ${height}`, logIndex: '0x0' })
  // Each connection begins with the feed's own subscription.
  say(0, '0x2', log(100))
  links[0]?.onLost()
  await until(() => ids === 4, 'the subscription at the next node')
  // What a node says of its height when it is taken is known before anything that was missed is sent.
  expect(heads).toEqual([100n, 70n])
  for (let height = 71; height <= 101; height++) {
    say(1, '0x3', { number: `0x${height.toString(16)}` })
    if (height >= 100) say(1, '0x4', log(height))
  }
  await until(() => sent.includes('block 101'), 'what is new there')
  expect(sent).toEqual(['block 100', 'block 101'])
})

it('keeps no connection for subscriptions that ended while a lost node was replaced', async () => {
  const node = startNode(() => '"result":"0x1"')
  const found = gate()
  let lose: (() => void) | undefined
  const connect: FeedDeps['connect'] = async (events, without) => {
    if (lose) await found.opened
    lose = () => events.onLost()
    return node.connect(events, without)
  }
  const { feed, subscribed } = startFeed(connect, 0)
  onTestFinished(feed.close)
  await subscribed()
  lose?.()
  node.open.clear()
  expect(feed.unsubscribe('0x1')).toBe(true)
  // Timers of the same length run in the order in which they were set: the connection's has run now.
  await new Promise((resolve) => setTimeout(resolve, 0))
  found.open()
  await eventually(() => expect(node.connections).toBe(2))
  await eventually(() => expect(node.open.size).toBe(0))
})
