import { expect, it, onTestFinished } from 'vitest'
import { createFeed, type Feed } from '../../../../../src/api/node/evm/ws/feed.ts'
import type { LinkEvents, UpstreamLink } from '../../../../../src/api/node/evm/ws/link/upstream-link.ts'
import { until } from '../../../../support/waiting/until.ts'

// A node that was killed may come back from an earlier block, and go on with others: its heads are none that were seen.

const hex = (height: number): string => `0x${height.toString(16)}`

interface Stage {
  feed: Feed
  /** Number and branch of each head that the client was pushed. */
  heads: string[]
  broken: string[]
  push(height: number, branch: string): void
  /** The node is lost, and is back with its newest block there. */
  lose(tip: number): void
}

async function start(tip: number, restoreMs: number): Promise<Stage> {
  const heads: string[] = []
  const broken: string[] = []
  const node = { tip, events: undefined as LinkEvents | undefined, subscriptions: 0, connections: 0 }
  const results: Record<string, (params: string) => string> = {
    eth_subscribe: () => {
      node.subscriptions += 1
      return `"${hex(node.subscriptions)}"`
    },
    eth_blockNumber: () => `"${hex(node.tip)}"`,
    eth_getBlockByNumber: (params) => `{"number":${params.slice(1).split(',')[0]},"hash":"0xb"}`,
  }
  const connect = async (events: LinkEvents): Promise<UpstreamLink> => {
    node.events = events
    node.connections += 1
    return {
      host: 'node',
      call: (method, params, answered) =>
        answered(Buffer.from(`{"jsonrpc":"2.0","id":1,"result":${results[method]?.(params) ?? 'true'}}`)),
      pause: () => undefined,
      resume: () => undefined,
      close: () => undefined,
    }
  }
  const send = (message: Buffer): void => {
    const { number, hash } = JSON.parse(message.toString()).params.result as { number: string; hash: string }
    heads.push(`${Number(number)}${hash.slice(2)}`)
  }
  const onBroken = (reason: string): void => void broken.push(reason)
  const limits = { share: () => true, restoreMs, maxMissedBlocks: 1_000, idleLinkMs: 0 }
  const feed = createFeed({ connect, send, onHead: () => undefined, onBroken, ...limits })
  onTestFinished(feed.close)
  await new Promise((resolve) =>
    feed.subscribe('eth_subscribe', Buffer.from('["newHeads"]'), Buffer.from('7'), resolve),
  )
  return {
    feed,
    heads,
    broken,
    push: (height, branch) => {
      // The feed's own subscription is the one before.
      for (const id of [node.subscriptions - 1, node.subscriptions])
        node.events?.onNotification(
          Buffer.from(
            `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"${hex(id)}","result":{"number":"${hex(height)}","hash":"0x${branch}"}}}`,
          ),
        )
    },
    lose: (at) => {
      node.tip = at
      node.events?.onLost()
    },
  }
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 50))

it('heads of another branch are pushed after a loss, from where it leaves the one that was shown; those that were shown are not', async () => {
  const { heads, push, lose } = await start(100, 1_000)
  for (const height of [101, 102, 103, 104]) push(height, 'a')
  lose(102)
  await settled()
  // As far as the node has what was shown before, it is only behind.
  push(102, 'a')
  for (const height of [103, 104, 105]) push(height, 'b')
  push(104, 'b')
  expect(heads).toEqual(['101a', '102a', '103a', '104a', '103b', '104b', '105b'])
})

it('who is shown nothing any more, as the chain began anew far below, is told to begin anew, too', async () => {
  const { heads, broken, push, lose } = await start(500, 300)
  push(501, 'a')
  lose(3)
  await until(() => broken.length > 0, 'the end of the subscriptions')
  expect(broken).toEqual(['no node could take over the subscriptions'])
  expect(heads).toEqual(['501a'])
})
