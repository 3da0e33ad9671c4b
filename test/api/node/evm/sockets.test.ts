import { connect } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import type { SocketLimits } from '../../../../src/api/node/evm/ws/limits.ts'
import { type Anvil, startAnvil } from '../../../support/anvil.ts'
import { type EvmNode, startEvmNode } from '../../../support/evm-node.ts'
import { type ReplayNode, startReplayNode } from '../../../support/replay-node/index.ts'
import { until } from '../../../support/upstream-pool.ts'
import { type EvmStage, startEvmStage } from './stage.ts'

interface Client {
  socket: WebSocket
  messages: Record<string, unknown>[]
  /** Sends a call and waits for its answer. */
  ask(method: string, params?: unknown[]): Promise<{ result?: unknown; error?: { code: number; message: string } }>
  /** Results pushed for a subscription, in order. */
  pushed<T = Record<string, string>>(subscription: unknown): T[]
  closed: Promise<{ code: number; reason: string }>
}

async function openClient(url: string): Promise<Client> {
  const socket = new WebSocket(url)
  const messages: Record<string, unknown>[] = []
  let last = 0
  socket.on('message', (data) => void messages.push(JSON.parse(String(data)) as Record<string, unknown>))
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    socket.on('close', (code, reason) => resolve({ code, reason: String(reason) })),
  )
  socket.on('error', () => undefined)
  await new Promise((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', reject)
  })
  onTestFinished(() => socket.terminate())
  return {
    socket,
    messages,
    closed,
    ask: async (method, params = []) => {
      last += 1
      const id = last
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
      await until(() => messages.some((message) => message['id'] === id), `answer to ${method}`, 8_000)
      return messages.find((message) => message['id'] === id) as never
    },
    pushed: <T>(subscription: unknown) =>
      messages.flatMap((message) => {
        const params = message['params'] as { subscription: string; result: T } | undefined
        return params && params.subscription === subscription ? [params.result] : []
      }),
  }
}

const heights = (heads: { number: string }[]): number[] => heads.map(({ number }) => Number(number))
const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index)

describe('a node is lost while clients are subscribed', () => {
  let anvil: Anvil
  let nodes: EvmNode[]
  let stage: EvmStage

  const start = async (limits: Partial<SocketLimits> = {}): Promise<void> => {
    stage = await startEvmStage({ nodes: nodes.map(({ url }) => url), sockets: { restoreMs: 3_000, ...limits } })
  }
  const mine = (): Promise<string> => anvil.rpc('evm_mine', [])
  const holder = (): EvmNode => nodes.find((node) => node.sockets() > 0) as EvmNode

  beforeAll(async () => {
    anvil = await startAnvil()
    nodes = [await startEvmNode(anvil.url), await startEvmNode(anvil.url)]
  })
  afterEach(async () => {
    for (const node of nodes) node.setDown(false)
    await stage.close()
  })
  afterAll(async () => {
    for (const node of nodes) await node.stop()
    await anvil.stop()
  })

  it('every head comes once and in order, under the same id, also those of the time between', async () => {
    await start()
    const client = await openClient(stage.wsUrl)
    const { result: id } = await client.ask('eth_subscribe', ['newHeads'])
    const first = Number(await anvil.rpc('eth_blockNumber')) + 1
    await mine()
    await until(() => client.pushed(id).length === 1, 'first head')
    const [live] = client.pushed(id)
    const lost = holder()
    lost.setDown(true)
    for (let count = 0; count < 3; count += 1) await mine()
    await until(() => client.pushed(id).length === 4, 'missed heads', 6_000)
    await mine()
    await until(() => client.pushed(id).length === 5, 'head at the other node')
    expect(heights(client.pushed(id))).toEqual(range(first, first + 4))
    expect(holder()).not.toBe(lost)
    // What was read again looks like what is pushed, member by member.
    for (const head of client.pushed(id)) expect(Object.keys(head)).toEqual(Object.keys(live ?? {}))
    const [, second] = client.pushed(id)
    expect(second).toMatchObject({
      hash: (await anvil.rpc<{ hash: string }>('eth_getBlockByNumber', [second?.number, false])).hash,
    })
  })

  it('every log comes once and in order, those of the time between included', async () => {
    await start()
    const emitter = await deployEmitter(anvil)
    const client = await openClient(stage.wsUrl)
    const { result: all } = await client.ask('eth_subscribe', ['logs', { address: emitter }])
    const { result: none } = await client.ask('eth_subscribe', ['logs', { address: `0x${'11'.repeat(20)}` }])
    const emit = (): Promise<unknown> => anvil.send({ to: emitter, data: '0x' })
    await emit()
    await until(() => client.pushed(all).length === 1, 'first log')
    holder().setDown(true)
    await emit()
    await emit()
    await until(() => client.pushed(all).length === 3, 'missed logs', 6_000)
    await emit()
    await until(() => client.pushed(all).length === 4, 'log at the other node')
    const seen = client.pushed(all).map(({ blockNumber }) => Number(blockNumber))
    expect(seen).toEqual(range(seen[0] ?? 0, (seen[0] ?? 0) + 3))
    expect(client.pushed(none)).toEqual([])
  })

  it('calls are answered while the node with the subscriptions is gone, and a subscription may end then', async () => {
    await start()
    const client = await openClient(stage.wsUrl)
    const { result: id } = await client.ask('eth_subscribe', ['newHeads'])
    holder().setDown(true)
    expect((await client.ask('eth_chainId')).result).toBe('0x7a69')
    expect((await client.ask('eth_unsubscribe', [id])).result).toBe(true)
    expect((await client.ask('eth_unsubscribe', [id])).error).toEqual({
      code: -32000,
      message: 'subscription not found',
    })
    await mine()
    const { result: other } = await client.ask('eth_subscribe', ['newHeads'])
    await mine()
    await until(() => client.pushed(other).length === 1, 'a head of the new subscription', 6_000)
    expect(client.pushed(id)).toEqual([])
  })

  it('when nobody takes the subscriptions, the client is told to begin anew', async () => {
    await start({ restoreMs: 300 })
    const client = await openClient(stage.wsUrl)
    await client.ask('eth_subscribe', ['newHeads'])
    for (const node of nodes) node.setDown(true)
    expect(await client.closed).toEqual({ code: 1013, reason: 'no node holds the subscriptions' })
  })

  it('who missed more than is read again is told to begin anew', async () => {
    await start({ maxMissedBlocks: 2, restoreMs: 5_000 })
    const client = await openClient(stage.wsUrl)
    await client.ask('eth_subscribe', ['newHeads'])
    for (const node of nodes) node.setDown(true)
    for (let count = 0; count < 4; count += 1) await mine()
    for (const node of nodes) node.setDown(false)
    expect(await client.closed).toEqual({ code: 1013, reason: '4 blocks were missed' })
  })

  it('a client with several subscriptions loses none when the node is cut again and again', async () => {
    await start()
    const client = await openClient(stage.wsUrl)
    const ids = await Promise.all([1, 2, 3].map(async () => (await client.ask('eth_subscribe', ['newHeads'])).result))
    const first = Number(await anvil.rpc('eth_blockNumber')) + 1
    for (let round = 0; round < 6; round += 1) {
      await mine()
      for (const node of nodes) node.cutSockets()
      await mine()
    }
    for (const id of ids) {
      await until(() => client.pushed(id).length >= 12, 'all heads', 8_000)
      expect(heights(client.pushed(id))).toEqual(range(first, first + 11))
    }
    expect(new Set(ids).size).toBe(3)
  })
})

/** Emits an empty log whenever it is called. */
async function deployEmitter(anvil: Anvil): Promise<string> {
  const { contractAddress } = await anvil.send({ data: '0x6006600c60003960066000f360006000a000' })
  return contractAddress
}

describe('the replayed node', () => {
  let nodes: ReplayNode[]
  let stage: EvmStage

  beforeAll(async () => {
    nodes = await Promise.all([1, 2].map(() => startReplayNode({ upTo: { C: 100 } })))
    stage = await startEvmStage({ nodes: nodes.map(({ url }) => url) })
  })
  afterAll(async () => {
    await stage.close()
    for (const node of nodes) await node.stop()
  })

  it('ids that another node gave before stay what the client knows', async () => {
    const client = await openClient(stage.wsUrl)
    const { result: heads } = await client.ask('eth_subscribe', ['newHeads'])
    const { result: accepted } = await client.ask('eth_subscribe', ['newAcceptedTransactions'])
    for (const node of nodes) node.moveTo({ C: 102 })
    await until(() => client.pushed(heads).length === 2, 'two heads')
    expect(heights(client.pushed(heads))).toEqual([101, 102])
    expect(client.pushed<string>(accepted).every((hash) => /^0x[0-9a-f]{64}$/.test(hash))).toBe(true)
    expect(accepted).not.toBe(heads)
  })

  it('methods, errors and batches are those of the endpoint over HTTP', async () => {
    const client = await openClient(stage.wsUrl)
    expect((await client.ask('eth_chainId')).result).toBe('0xa869')
    expect((await client.ask('eth_nope')).error).toEqual({
      code: -32601,
      message: 'the method eth_nope does not exist/is not available',
    })
    client.socket.send('[]')
    await until(() => client.messages.some(({ id }) => id === null), 'empty batch')
    expect(client.messages.find(({ id }) => id === null)).toMatchObject({ error: { message: 'empty batch' } })
    client.socket.send(
      '[{"jsonrpc":"2.0","id":"a","method":"eth_subscribe","params":["newHeads"]},{"jsonrpc":"2.0","id":"b","method":"eth_chainId","params":[]}]',
    )
    await until(() => client.messages.some(Array.isArray), 'batch')
    const batch = client.messages.find(Array.isArray) as unknown as { id: string; result: string }[]
    expect(batch.map(({ id }) => id)).toEqual(['a', 'b'])
    expect(batch[1]?.result).toBe('0xa869')
    expect((await client.ask('eth_unsubscribe', [batch[0]?.result])).result).toBe(true)
    expect((await client.ask('eth_subscribe', ['nothing'])).error?.code).toBe(-32601)
  })

  it('what is no JSON is answered as by a node and ends the connection', async () => {
    const client = await openClient(stage.wsUrl)
    client.socket.send('x')
    expect((await client.closed).code).toBe(1000)
    const message = "invalid character 'x' looking for beginning of value"
    expect(client.messages).toEqual([{ jsonrpc: '2.0', id: null, error: { code: -32700, message } }])
    // Half a value only ends it.
    const half = await openClient(stage.wsUrl)
    half.socket.send('{"jsonrpc":')
    expect((await half.closed).code).toBe(1000)
    expect(half.messages).toEqual([])
  })

  it.each([
    [[], 'missing value for required argument 0'],
    [[1], 'invalid argument 0: json: cannot unmarshal number into Go value of type rpc.ID'],
    [[{}], 'invalid argument 0: json: cannot unmarshal object into Go value of type rpc.ID'],
    [['0x1', 2], 'too many arguments, want at most 1'],
    [{}, 'non-array args'],
  ])('eth_unsubscribe with %j is refused as by a node', async (params, message) => {
    const client = await openClient(stage.wsUrl)
    expect((await client.ask('eth_unsubscribe', params as unknown[])).error).toEqual({ code: -32602, message })
  })

  it('every message ends with a newline, also what has none over HTTP', async () => {
    const client = await openClient(stage.wsUrl)
    const raw: string[] = []
    client.socket.on('message', (data) => raw.push(String(data)))
    client.socket.send('[]')
    await until(() => raw.length === 1, 'empty batch')
    expect(raw).toEqual(['{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"empty batch"}}\n'])
  })

  it('a message beyond the limit ends the connection with 1009', async () => {
    const client = await openClient(stage.wsUrl)
    client.socket.send('a'.repeat(5_242_881))
    expect((await client.closed).code).toBe(1009)
  })

  it('refuses wrong handshakes in the words of a node', async () => {
    const send = (lines: string[]): Promise<string> =>
      new Promise((resolve) => {
        const socket = connect(stage.port, '127.0.0.1')
        let text = ''
        socket.on('data', (part) => {
          text += String(part)
        })
        socket.on('close', () => resolve(text))
        socket.write(`${lines.join('\r\n')}\r\n\r\n`)
      })
    const lines = ['GET /ext/bc/C/ws HTTP/1.1', 'Host: localhost', 'Connection: Upgrade', 'Upgrade: websocket']
    const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='
    for (const wrong of [
      [...lines, key, 'Sec-WebSocket-Version: 12'],
      [...lines, 'Sec-WebSocket-Version: 13'],
      [...lines, 'Sec-WebSocket-Key: x', 'Sec-WebSocket-Version: 13'],
    ]) {
      const answer = await send(wrong)
      expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
      expect(answer).toContain('Sec-Websocket-Version: 13\r\n')
      expect(answer.endsWith('Bad Request\n')).toBe(true)
    }
  })
})

describe('limits', () => {
  it('sockets, subscriptions and a goodbye', async () => {
    const node = await startReplayNode({ upTo: { C: 100 } })
    const stage = await startEvmStage({ nodes: [node.url], sockets: { maxSockets: 2, maxSubscriptions: 1 } })
    onTestFinished(async () => {
      await stage.close()
      await node.stop()
    })
    const [first] = [await openClient(stage.wsUrl), await openClient(stage.wsUrl)]
    await expect(openClient(stage.wsUrl)).rejects.toThrow('503')
    expect((await first?.ask('eth_subscribe', ['newHeads']))?.result).toMatch(/^0x/)
    expect((await first?.ask('eth_subscribe', ['newHeads']))?.error?.message).toMatch(/too many subscriptions/)
    stage.sockets.close()
    expect((await first?.closed)?.code).toBe(1001)
    await until(() => stage.sockets.size === 0, 'sockets gone')
  })

  it('a client that does not answer pings is cut', async () => {
    const node = await startReplayNode({ upTo: { C: 100 } })
    const stage = await startEvmStage({ nodes: [node.url], sockets: { pingMs: 50 } })
    onTestFinished(async () => {
      await stage.close()
      await node.stop()
    })
    const living = await openClient(stage.wsUrl)
    const dead = connect(stage.port, '127.0.0.1')
    const gone = new Promise((resolve) => dead.on('close', resolve))
    dead.write(
      'GET /ext/bc/C/ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    )
    dead.resume()
    await gone
    expect(living.socket.readyState).toBe(WebSocket.OPEN)
    expect((await living.ask('eth_chainId')).result).toBe('0xa869')
  })
})
