import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { createFeed } from '../../../../../src/api/node/evm/ws/feed.ts'
import type { LinkEvents, UpstreamLink } from '../../../../../src/api/node/evm/ws/link/upstream-link.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

function heap(): number {
  collect()
  return process.memoryUsage().heapUsed
}

const SUBSCRIPTIONS = 100
const hash = (number: number): string => `0x${number.toString(16).padStart(64, '0')}`

/** A client with many subscriptions of one kind, at a node that pushes what the test says to each of them. */
async function subscribe(kind: string) {
  let events: LinkEvents | undefined
  let last = 0
  const link: UpstreamLink = {
    host: 'node',
    call: (_method, _params, answered) => {
      last += 1
      answered(Buffer.from(`{"jsonrpc":"2.0","id":1,"result":"0x${last.toString(16)}"}`))
    },
    pause: () => undefined,
    resume: () => undefined,
    close: () => undefined,
  }
  let sent = 0
  const feed = createFeed({
    connect: async (given) => {
      events = given
      return link
    },
    send: () => {
      sent += 1
    },
    onHead: () => undefined,
    onBroken: () => undefined,
    share: () => true,
    restoreMs: 0,
    maxMissedBlocks: 0,
    idleLinkMs: 0,
  })
  const ids: string[] = []
  for (let at = 0; at < SUBSCRIPTIONS; at++) {
    const entry = await new Promise<Buffer | undefined>((resolve) =>
      feed.subscribe('eth_subscribe', Buffer.from(`["${kind}"]`), Buffer.from('7'), resolve),
    )
    ids.push((JSON.parse(String(entry)) as { result: string }).result)
  }
  const push = (result: unknown): void => {
    for (const subscription of ids)
      events?.onNotification(
        Buffer.from(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params: { subscription, result } })),
      )
  }
  return { feed, push, sent: () => sent }
}

it.each([
  ['newAcceptedTransactions', (at: number): unknown => hash(at)],
  [
    'logs',
    (at: number): unknown => ({ blockHash: hash(Math.floor(at / 375)), logIndex: `0x${(at % 375).toString(16)}` }),
  ],
] as const)(
  'what a client was told of %s is remembered within bounds, however many subscriptions it has',
  async (kind, result) => {
    const { feed, push, sent } = await subscribe(kind)
    const before = heap()
    for (let at = 0; at < 3_000; at++) push(result(at))
    expect(sent()).toBe(3_000 * SUBSCRIPTIONS)
    expect((heap() - before) / 1e6).toBeLessThan(8)
    feed.close()
  },
  30_000,
)
