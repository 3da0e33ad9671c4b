import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { createFeed, type FeedDeps } from '../../../../../src/api/node/evm/ws/feed.ts'
import type { LinkEvents } from '../../../../../src/api/node/evm/ws/link/upstream-link.ts'
import { REMEMBERED_HEADS } from '../../../../../src/api/node/evm/ws/subscriptions/delivery.ts'
import { until } from '../../../../support/waiting/until.ts'

interface Connection {
  events: LinkEvents
  /** Methods that were called, in order. */
  called: string[]
  pauses: number
  /** Answers the call of the method that is not answered otherwise, with this JSON. */
  answer(result: string): void
}

/**
 * A feed with one subscription to logs, and the connections that it makes, each to a node with the tip that the test
 * says. Of those that take over, calls of the method `silent` are answered when the test says so.
 */
async function startFeed(tipOf: (connection: number) => number, silent = '') {
  const connections: Connection[] = []
  const sent: string[] = []
  let reason: string | undefined
  const connect: FeedDeps['connect'] = async (events) => {
    const connection: Connection = { events, called: [], pauses: 0, answer: () => undefined }
    connections.push(connection)
    const tip = tipOf(connections.length)
    let ids = 0
    return {
      host: 'node',
      call: (method, _params, answered) => {
        connection.called.push(method)
        const reply = (json: string): void => answered(Buffer.from(`{"jsonrpc":"2.0","id":1,"result":${json}}`))
        if (method === silent && connections.length > 1) {
          connection.answer = reply
          return
        }
        if (method.endsWith('_subscribe')) ids += 1
        const result = method === 'eth_getLogs' ? '[]' : `"0x${(method === 'eth_subscribe' ? ids : tip).toString(16)}"`
        reply(result)
      },
      pause: () => {
        connection.pauses += 1
      },
      resume: () => undefined,
      close: () => undefined,
    }
  }
  const onBroken = (said: string): void => {
    reason = said
  }
  const events = { send: (message: Buffer) => void sent.push(String(message)), onHead: () => undefined, onBroken }
  const feed = createFeed({ connect, ...events, share: () => true, restoreMs: 0, maxMissedBlocks: 10, idleLinkMs: 0 })
  onTestFinished(feed.close)
  await new Promise((resolve) => feed.subscribe('eth_subscribe', Buffer.from('["logs"]'), Buffer.from('7'), resolve))
  return { feed, connections, sent, reason: () => reason }
}

it.each([
  [REMEMBERED_HEADS, undefined],
  [REMEMBERED_HEADS + 1, 'no node could take over the subscriptions'],
])('a node %i blocks behind what was shown takes over: %s', async (behind, reason) => {
  const stage = await startFeed((connection) => (connection === 1 ? 1_000 : 1_000 - behind))
  stage.connections[0]?.events.onLost()
  await until(() => (stage.connections[1]?.called.length ?? 0) === 3, 'the tip of the next node')
  await nextTurn()
  // One that takes over is asked to give the subscription back.
  expect(stage.feed.unsubscribe('0x2')).toBe(reason === undefined)
  expect(stage.reason()).toBe(reason)
})

it('what a client does not read yet is not read from the node that takes over, either', async () => {
  const { feed, connections } = await startFeed(() => 1_000)
  feed.pause()
  connections[0]?.events.onLost()
  await until(() => connections[1]?.pauses === 1, 'the pause')
})

it('a node that is lost while it takes over is not replaced twice', async () => {
  const { connections, reason } = await startFeed(() => 1_000, 'eth_blockNumber')
  connections[0]?.events.onLost()
  await until(() => connections[1]?.called.includes('eth_blockNumber') === true, 'its tip')
  connections[1]?.events.onLost()
  await nextTurn()
  expect(connections).toHaveLength(2)
  expect(reason()).toBeUndefined()
})

it.each([false, true])(
  'of what was missed a subscription that has ended meanwhile is told nothing, and the node is told that it has: %s',
  async (hasEnded) => {
    const { feed, connections, sent } = await startFeed((connection) => 999 + connection, 'eth_getLogs')
    connections[0]?.events.onLost()
    await until(() => connections[1]?.called.includes('eth_getLogs') === true, 'what was missed')
    if (hasEnded) feed.unsubscribe('0x2')
    connections[1]?.answer('[{"blockHash":"0xa","logIndex":"0x0"}]')
    await nextTurn()
    expect(sent).toHaveLength(hasEnded ? 0 : 1)
    // The node that takes over had begun to push for it.
    expect(connections[1]?.called.filter((method) => method === 'eth_unsubscribe')).toHaveLength(hasEnded ? 1 : 0)
  },
)
