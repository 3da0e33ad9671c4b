import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { type ReplayNode, startReplayNode } from '../../../../support/replay-node/index.ts'
import { until } from '../../../../support/waiting/until.ts'
import { type EvmStage, startEvmStage } from '../stage.ts'
import { heights, openClient } from './ws-client.ts'

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

  it.each([
    ['web3_subscribe', ['newHeads'], -32601, 'no "newHeads" subscription in web3 namespace'],
    ['_subscribe', ['logs'], -32601, 'no "logs" subscription in  namespace'],
    ['web3_subscribe', [], -32602, 'expected subscription name as first argument'],
    ['web3_unsubscribe', ['0x1'], -32000, 'subscription not found'],
  ])('%s %j is refused as by a node', async (method, params, code, message) => {
    const client = await openClient(stage.wsUrl)
    expect((await client.ask(method, params)).error).toEqual({ code, message })
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

  it('a message of more members than are read ends the connection with 1009', async () => {
    const client = await openClient(stage.wsUrl)
    client.socket.send(`{${'"a":1,'.repeat(70_000)}"jsonrpc":"2.0","id":1,"method":"eth_chainId"}`)
    expect((await client.closed).code).toBe(1009)
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
    // One that is still beginning counts, too.
    const [begun, second] = await Promise.all([1, 2].map(() => first?.ask('eth_subscribe', ['newHeads'])))
    expect([begun?.result, second?.error?.message]).toEqual([
      expect.stringMatching(/^0x/),
      expect.stringMatching(/too many subscriptions/),
    ])
    expect((await first?.ask('eth_subscribe', ['newHeads']))?.error?.message).toMatch(/too many subscriptions/)
    stage.sockets.close()
    expect((await first?.closed)?.code).toBe(1001)
    await until(() => stage.sockets.size === 0, 'sockets gone')
  })

  it('a client that takes subscriptions and gives them back without end may begin so many in a second', async () => {
    const node = await startReplayNode({ upTo: { C: 100 } })
    const sockets = { maxSubscriptions: 3, subscriptionsPerSecond: 0.001 }
    const stage = await startEvmStage({ nodes: [node.url], sockets })
    onTestFinished(async () => {
      await stage.close()
      await node.stop()
    })
    const greedy = await openClient(stage.wsUrl)
    for (let count = 0; count < 3; count++) {
      const { result } = await greedy.ask('eth_subscribe', ['newHeads'])
      expect((await greedy.ask('eth_unsubscribe', [result])).result).toBe(true)
    }
    const { error } = await greedy.ask('eth_subscribe', ['newHeads'])
    expect(error).toEqual({ code: -32000, message: 'too many subscriptions, at most 0.001 a second' })
    const other = await openClient(stage.wsUrl)
    expect((await other.ask('eth_subscribe', ['newHeads'])).result).toMatch(/^0x/)
  })

  const pinging = async (pingMs: number): Promise<EvmStage> => {
    const node = await startReplayNode({ upTo: { C: 100 } })
    const stage = await startEvmStage({ nodes: [node.url], sockets: { pingMs } })
    onTestFinished(async () => {
      await stage.close()
      await node.stop()
    })
    return stage
  }

  it('a client that does not answer pings is cut', async () => {
    const { port } = await pinging(50)
    const dead = connect(port, '127.0.0.1')
    const gone = new Promise((resolve) => dead.on('close', resolve))
    dead.write(
      'GET /ext/bc/C/ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    )
    dead.resume()
    await gone
  })

  it('a client that answers pings is kept', async () => {
    const { wsUrl } = await pinging(1_000)
    const living = await openClient(wsUrl)
    for (let pings = 0; pings < 2; pings += 1) await new Promise((resolve) => living.socket.once('ping', resolve))
    expect((await living.ask('eth_chainId')).result).toBe('0xa869')
    expect(living.socket.readyState).toBe(WebSocket.OPEN)
  })
})
