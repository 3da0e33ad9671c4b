import { expect, it, onTestFinished, vi } from 'vitest'
import { createFeed, type FeedDeps } from '../../../../../src/api/node/evm/ws/feed.ts'
import type { LinkEvents, UpstreamLink } from '../../../../../src/api/node/evm/ws/link/upstream-link.ts'

// A node may answer pings and most calls, and leave some open for good.

const RESULTS: Record<string, string> = { eth_subscribe: '"0x1"', eth_getLogs: '[]' }

interface Open {
  host: 'first' | 'second'
  method: string
}

/** Two nodes that answer all but these methods, which a test may answer later, and a subscriber. */
function start(open: Open[]) {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const links = new Map<string, LinkEvents>()
  const unanswered: { host: string; method: string; answer: (result: string) => void }[] = []
  let height = '"0x64"'
  const connect: FeedDeps['connect'] = async (events, without): Promise<UpstreamLink> => {
    const host = ['first', 'second'].find((name) => !without.has(name))
    if (host === undefined) throw new Error('no other')
    links.set(host, events)
    return {
      host,
      call: (method, _params, answered) => {
        const answer = (result: string) => answered(Buffer.from(`{"jsonrpc":"2.0","id":1,"result":${result}}`))
        if (open.some((one) => one.host === host && one.method === method)) {
          unanswered.push({ host, method, answer })
          return
        }
        answer(method === 'eth_blockNumber' ? height : (RESULTS[method] ?? 'true'))
      },
      pause: () => undefined,
      resume: () => undefined,
      close: () => void links.delete(host),
    }
  }
  const broken: string[] = []
  const limits = { share: () => true, restoreMs: 30_000, maxMissedBlocks: 10, idleLinkMs: 1_000 }
  const sent: string[] = []
  const events = {
    send: (message: Buffer) => sent.push(String(message)),
    onHead: () => undefined,
    onBroken: (reason: string) => broken.push(reason),
  }
  const feed = createFeed({ connect, ...events, ...limits })
  onTestFinished(feed.close)
  const subscribed = new Promise<string>((resolve) =>
    feed.subscribe('eth_subscribe', Buffer.from('["logs",{}]'), Buffer.from('7'), (entry) => resolve(String(entry))),
  )
  const rise = (to: string): void => {
    height = to
  }
  return { links, broken, sent, subscribed, unanswered, rise, openAt: () => [...links.keys()] }
}

it.each(['eth_subscribe', 'eth_blockNumber'])(
  'a node that leaves %s open is passed over, at the beginning',
  async (method) => {
    const { subscribed, openAt } = start([{ host: 'first', method }])
    await vi.advanceTimersByTimeAsync(10_000)
    expect(await Promise.race([subscribed, 'not yet'])).toContain('"result":"0x1"')
    expect(openAt()).toEqual(['second'])
  },
)

it('and behind the loss of another, before its subscribers are told to begin anew', async () => {
  const open: Open[] = []
  const { links, broken, subscribed, openAt } = start(open)
  await vi.advanceTimersByTimeAsync(0)
  expect(await subscribed).toContain('"result":"0x1"')
  open.push({ host: 'first', method: 'eth_subscribe' })
  links.get('first')?.onLost()
  await vi.advanceTimersByTimeAsync(30_000)
  expect(openAt()).toEqual(['second'])
  expect(broken).toEqual([])
})

it('a node that takes longer for the logs of many blocks stays in use behind the loss of another', async () => {
  const { links, broken, sent, subscribed, unanswered, rise, openAt } = start([
    { host: 'first', method: 'eth_getLogs' },
    { host: 'second', method: 'eth_getLogs' },
  ])
  await vi.advanceTimersByTimeAsync(0)
  expect(await subscribed).toContain('"result":"0x1"')
  rise('"0x66"')
  links.get('first')?.onLost()
  await vi.advanceTimersByTimeAsync(15_000)
  const [asked] = unanswered
  expect([unanswered.length, asked?.method, openAt()]).toEqual([1, 'eth_getLogs', [asked?.host]])
  asked?.answer('[{"blockNumber":"0x65","blockHash":"0xb","logIndex":"0x0"}]')
  await vi.advanceTimersByTimeAsync(30_000)
  expect(sent.map((message) => JSON.parse(message).params.result.blockNumber)).toEqual(['0x65'])
  expect([broken, openAt()]).toEqual([[], [asked?.host]])
})
