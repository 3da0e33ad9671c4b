import { expect, it, onTestFinished } from 'vitest'
import { createFeed, type FeedDeps } from '../../../../../src/api/node/evm/ws/feed.ts'
import type { LinkEvents } from '../../../../../src/api/node/evm/ws/link/upstream-link.ts'
import { until } from '../../../../support/waiting/until.ts'

// Nodes that take over many blocks behind what was told, and are lost before they have caught up.

const hex = (height: number): string => `0x${height.toString(16)}`
const head = (height: number) => ({ number: hex(height), hash: hex(height) })
const log = (height: number, index = 0) => ({
  ...{ blockNumber: hex(height), blockHash: hex(height) },
  logIndex: hex(index),
})
/** The only block with two logs. */
const TWO = 112

/** What a node at this height answers; each block has one log but for one. */
function resultOf(tip: number, method: string, params: string): unknown {
  if (method === 'eth_blockNumber') return hex(tip)
  const [asked] = JSON.parse(params) as [string]
  if (method === 'eth_getBlockByNumber') return head(Number(asked))
  const { fromBlock, toBlock } = asked as unknown as { fromBlock: string; toBlock: string }
  const from = Number(fromBlock)
  const blocks = Array.from({ length: Number(toBlock) - from + 1 }, (_, at) => from + at)
  return blocks.flatMap((height) => (height === TWO ? [log(height), log(height, 1)] : [log(height)]))
}

/** A feed over nodes of which each takes over from the one before it, at these heights. */
function startFeed(...tips: number[]) {
  const links: { events: LinkEvents; ids: number }[] = []
  const told: [id: string, height: number][] = []
  const connect: FeedDeps['connect'] = async (events) => {
    const tip = tips[links.length] ?? 0
    const own = { events, ids: 0 }
    links.push(own)
    return {
      host: `node ${links.length}`,
      call: (method, params, answered) => {
        if (method === 'eth_subscribe') own.ids += 1
        const result = method === 'eth_subscribe' ? `0x${own.ids}` : resultOf(tip, method, params)
        answered(Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, result })))
      },
      pause: () => undefined,
      resume: () => undefined,
      close: () => undefined,
    }
  }
  const send = (message: Buffer, id: string): void => {
    const { number, blockNumber } = JSON.parse(String(message)).params.result
    told.push([id, Number(number ?? blockNumber)])
  }
  const events = { send, onHead: () => undefined, onBroken: () => undefined }
  const feed = createFeed({
    connect,
    ...events,
    share: () => true,
    restoreMs: 0,
    maxMissedBlocks: 99,
    idleLinkMs: 5_000,
  })
  onTestFinished(feed.close)
  return {
    /** The id of a subscription of this kind. */
    subscribe: async (kind: string): Promise<string> => {
      const params = Buffer.from(`["${kind}"]`)
      const entry = await new Promise<Buffer | undefined>((reply) =>
        feed.subscribe('eth_subscribe', params, Buffer.from('7'), reply),
      )
      return (JSON.parse(String(entry)) as { result: string }).result
    },
    /** The node that serves now pushes to the subscription that it numbered so; its first one is the feed's own. */
    push: (at: number, result: object): void => {
      const text = JSON.stringify({ jsonrpc: '2.0', params: { subscription: `0x${at}`, result } })
      links.at(-1)?.events.onNotification(Buffer.from(text))
    },
    /** Until the next node holds so many subscriptions, the feed's own among them, and has told what was missed. */
    lose: async (count: number): Promise<void> => {
      const { length } = links
      links.at(-1)?.events.onLost()
      await until(() => links[length]?.ids === count, 'the subscriptions at the next node')
      await new Promise((resolve) => setImmediate(resolve))
    },
    toldOf: (id: string): number[] => told.flatMap(([of, height]) => (of === id ? [height] : [])),
  }
}

it.each([
  ['newHeads', head],
  ['logs', log],
] as const)('%s that begin at a node behind what was told have no gap when that is lost, too', async (kind, made) => {
  const { subscribe, push, lose, toldOf } = startFeed(100, 80, 105)
  await subscribe('newHeads')
  await lose(2)
  const id = await subscribe(kind)
  for (const height of [81, 82]) push(3, made(height))
  await lose(3)
  expect(toldOf(id)).toEqual([101, 102, 103, 104, 105])
})

it('logs told many blocks ago are not told again by a node that is still behind them', async () => {
  const { subscribe, push, lose, toldOf } = startFeed(100, 100)
  const id = await subscribe('logs')
  for (let height = 101; height <= 130; height += 1) {
    push(1, head(height))
    push(2, log(height))
  }
  await lose(2)
  for (let height = 101; height <= 131; height += 1) {
    push(1, head(height))
    push(2, log(height))
  }
  expect(toldOf(id)).toEqual(Array.from({ length: 31 }, (_, at) => 101 + at))
})

it('logs that a node had not told yet by its loss, though it was many heads ahead, are told by the next, and none again', async () => {
  const { subscribe, push, lose, toldOf } = startFeed(100, 131)
  const id = await subscribe('logs')
  for (let height = 101; height <= 130; height += 1) {
    push(1, head(height))
    if (height <= TWO) push(2, log(height))
  }
  await lose(2)
  push(2, log(131))
  expect(toldOf(id)).toEqual([
    ...Array.from({ length: 12 }, (_, at) => 101 + at),
    ...[TWO, 113, 114, 115, 116],
    ...Array.from({ length: 15 }, (_, at) => 117 + at),
  ])
})

it('logs of blocks before the first that a node told are not of a subscription, though the feed had not heard of them', async () => {
  const { subscribe, push, lose, toldOf } = startFeed(100, 104)
  const id = await subscribe('logs')
  // Its node was at 102 by then.
  push(2, log(103))
  await lose(2)
  expect(toldOf(id)).toEqual([103, 104])
})
