import { expect, it, onTestFinished, vi } from 'vitest'
import { createFeed, type FeedDeps } from '../../../../../src/api/node/evm/ws/feed.ts'
import type { LinkEvents, UpstreamLink } from '../../../../../src/api/node/evm/ws/upstream-link.ts'

// A node may answer pings and most calls, and leave some open for good.

const RESULTS: Record<string, string> = { eth_subscribe: '"0x1"', eth_blockNumber: '"0x64"' }

/** Two nodes, of which the first answers all but these methods, and a subscriber. */
function start(open: string[]) {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const links = new Map<string, LinkEvents>()
  const connect: FeedDeps['connect'] = async (events, without): Promise<UpstreamLink> => {
    const host = ['first', 'second'].find((name) => !without.has(name))
    if (host === undefined) throw new Error('no other')
    links.set(host, events)
    return {
      host,
      call: (method, _params, answered) => {
        if (host === 'first' && open.includes(method)) return
        answered(Buffer.from(`{"jsonrpc":"2.0","id":1,"result":${RESULTS[method] ?? 'true'}}`))
      },
      pause: () => undefined,
      resume: () => undefined,
      close: () => void links.delete(host),
    }
  }
  const broken: string[] = []
  const limits = { share: () => true, restoreMs: 30_000, maxMissedBlocks: 10, idleLinkMs: 1_000 }
  const events = { send: () => undefined, onHead: () => undefined, onBroken: (reason: string) => broken.push(reason) }
  const feed = createFeed({ connect, ...events, ...limits })
  onTestFinished(feed.close)
  const subscribed = new Promise<string>((resolve) =>
    feed.subscribe('eth_subscribe', Buffer.from('["logs",{}]'), Buffer.from('7'), (entry) => resolve(String(entry))),
  )
  return { links, broken, subscribed, openAt: () => [...links.keys()] }
}

it.each(['eth_subscribe', 'eth_blockNumber'])(
  'a node that leaves %s open is passed over, at the beginning',
  async (method) => {
    const { subscribed, openAt } = start([method])
    await vi.advanceTimersByTimeAsync(10_000)
    expect(await Promise.race([subscribed, 'not yet'])).toContain('"result":"0x1"')
    expect(openAt()).toEqual(['second'])
  },
)

it('and behind the loss of another, before its subscribers are told to begin anew', async () => {
  const open: string[] = []
  const { links, broken, subscribed, openAt } = start(open)
  await vi.advanceTimersByTimeAsync(0)
  expect(await subscribed).toContain('"result":"0x1"')
  open.push('eth_subscribe')
  links.get('first')?.onLost()
  await vi.advanceTimersByTimeAsync(30_000)
  expect(openAt()).toEqual(['second'])
  expect(broken).toEqual([])
})
