import { expect, it, onTestFinished } from 'vitest'
import { createBehindNews } from '../../../../../src/api/node/evm/ws/behind-news.ts'
import { createPeerProcesses } from '../../../../../src/api/node/forward/consistency/peer-processes.ts'
import { eventually } from '../../../../support/waiting/eventually.ts'
import { until } from '../../../../support/waiting/until.ts'
import { startEvmStage } from '../stage.ts'
import { startMovingWsNode } from './moving-ws-node.ts'
import { type Client, heights, openClient } from './ws-client.ts'

// Who is pushed a block may ask another process for it at once, over HTTP.

/** A process whose news go out when a test says so, its node, and a client. */
async function start() {
  const ways: ((isSent: boolean) => void)[] = []
  let isHeld = false
  const peers = createPeerProcesses({
    tell: () => (isHeld ? new Promise((resolve) => ways.push(resolve)) : Promise.resolve(true)),
    listen: () => undefined,
  })
  const node = await startMovingWsNode(1_000, () => 0.9)
  const stage = await startEvmStage({ nodes: [node.url], peers })
  onTestFinished(async () => {
    await stage.close()
    node.stop()
  })
  const client = await openClient(stage.wsUrl)
  const subscribe = async (): Promise<unknown> => (await client.ask('eth_subscribe', ['newHeads'])).result
  return {
    ...{ node, client, subscribe },
    hold: () => {
      isHeld = true
    },
    /** News are on their way. */
    told: () => until(() => ways.length > 0, 'news'),
    arrive: (isSent: boolean) => {
      for (const resolve of ways.splice(0)) resolve(isSent)
    },
  }
}

/** All that was sent to the client by now has come. */
const settled = ({ socket }: Client): Promise<void> =>
  new Promise((resolve) => {
    socket.once('pong', () => resolve())
    socket.ping()
  })

it('a block is pushed once other processes were sent that it is there, and the next one behind it', async () => {
  const { node, client, subscribe, hold, told, arrive } = await start()
  const id = await subscribe()
  node.accept(1_001)
  await eventually(() => expect(heights(client.pushed(id))).toEqual([1_001]))
  hold()
  node.accept(1_002)
  await told()
  await settled(client)
  expect(heights(client.pushed(id))).toEqual([1_001])
  arrive(true)
  await eventually(() => expect(heights(client.pushed(id))).toEqual([1_001, 1_002]))
  node.accept(1_003)
  node.accept(1_004)
  await told()
  await settled(client)
  expect(heights(client.pushed(id))).toEqual([1_001, 1_002])
  arrive(true)
  await eventually(() => {
    arrive(true)
    expect(heights(client.pushed(id))).toEqual([1_001, 1_002, 1_003, 1_004])
  })
})

it('what waits is not pushed behind the end of its subscription', async () => {
  const { node, client, subscribe, hold, told, arrive } = await start()
  const [id, other] = [await subscribe(), await subscribe()]
  hold()
  node.accept(1_001)
  await told()
  expect(await client.ask('eth_unsubscribe', [id])).toMatchObject({ result: true })
  arrive(true)
  await eventually(() => expect(heights(client.pushed(other))).toEqual([1_001]))
  expect(client.pushed(id)).toEqual([])
})

it('where news are lost, as where Redis hangs, pushes wait for them once', async () => {
  const { node, client, subscribe, hold, told, arrive } = await start()
  const id = await subscribe()
  hold()
  node.accept(1_001)
  await told()
  arrive(false)
  await eventually(() => expect(heights(client.pushed(id))).toEqual([1_001]))
  node.accept(1_002)
  node.accept(1_003)
  await eventually(() => expect(heights(client.pushed(id))).toEqual([1_001, 1_002, 1_003]))
})

it('where there is no room for what waits, it goes out in its order', () => {
  const sent: string[] = []
  let held = 0
  const share = (bytes: number): boolean => {
    held += bytes
    return held <= 8
  }
  const news = createBehindNews({ sent: () => new Promise(() => undefined) }, share)
  const push = (text: string): void => news.push(Buffer.from(text), () => sent.push(text))
  push('first')
  push('two')
  expect(sent).toEqual([])
  push('third')
  expect(sent).toEqual(['first', 'two', 'third'])
  expect(held).toBe(0)
})
