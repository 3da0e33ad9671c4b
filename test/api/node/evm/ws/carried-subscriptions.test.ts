import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { until } from '../../../../support/waiting/until.ts'
import { type EvmStage, startEvmStage } from '../stage.ts'

interface Asked {
  id: number
  method: string
  params: unknown[]
}

/** A node that does over WebSocket what the test says; ids of subscriptions are 0x1, 0x2 … in each connection. */
interface ScriptedNode {
  url: string
  asked: Asked[]
  /** Ids of subscriptions by kind, of the newest connection. */
  ids: Record<string, string[]>
  /** Subscriptions other than to heads are taken when this resolves. */
  taking: Promise<void>
  push(kind: string, result: unknown): void
  cut(): void
  close(): void
}

const hex = (value: number): string => `0x${value.toString(16)}`
/** A header has its members in another order than a block, and fewer. */
const headOf = (height: number) => ({ parentHash: `0xp${height}`, number: hex(height), hash: `0xh${height}` })
const blockOf = (height: number) => ({
  hash: `0xh${height}`,
  number: hex(height),
  parentHash: `0xp${height}`,
  size: '0x1',
  transactions: [`0xt${height}`],
})
const logOf = (height: number, index: number) => ({
  blockHash: `0xh${height}`,
  blockNumber: hex(height),
  logIndex: hex(index),
})

async function startScriptedNode(
  answer: (asked: Asked, node: ScriptedNode) => unknown | Promise<unknown>,
): Promise<ScriptedNode> {
  const server = createServer((_, response) => response.end('{"jsonrpc":"2.0","id":1,"result":"0x1"}'))
  const sockets = new WebSocketServer({ server })
  let socket: WebSocket | undefined
  const node: ScriptedNode = {
    url: '',
    asked: [],
    ids: {},
    taking: Promise.resolve(),
    push: (kind, result) => {
      for (const subscription of node.ids[kind] ?? [])
        socket?.send(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params: { subscription, result } }))
    },
    cut: () => socket?.terminate(),
    close: () => {
      for (const client of sockets.clients) client.terminate()
      server.close()
      server.closeAllConnections()
    },
  }
  const reply = async (opened: WebSocket, asked: Asked): Promise<void> => {
    node.asked.push(asked)
    let result: unknown
    if (asked.method === 'eth_subscribe') {
      const kind = String(asked.params[0])
      if (kind !== 'newHeads') await node.taking
      result = hex(Object.values(node.ids).flat().length + 1)
      node.ids[kind] = [...(node.ids[kind] ?? []), result as string]
    } else result = asked.method === 'eth_unsubscribe' ? true : await answer(asked, node)
    opened.send(JSON.stringify({ jsonrpc: '2.0', id: asked.id, result }))
  }
  sockets.on('connection', (opened) => {
    socket = opened
    node.ids = {}
    opened.on('message', (data) => void reply(opened, JSON.parse(String(data)) as Asked))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  node.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return node
}

async function open(node: ScriptedNode): Promise<{
  stage: EvmStage
  ask(method: string, params: unknown[]): Promise<string>
  pushed: { subscription: string; result: Record<string, string> }[]
}> {
  const stage = await startEvmStage({ nodes: [node.url] })
  const client = new WebSocket(stage.wsUrl)
  onTestFinished(async () => {
    client.terminate()
    await stage.close()
    node.close()
  })
  const answers = new Map<number, string>()
  const pushed: { subscription: string; result: Record<string, string> }[] = []
  client.on('message', (data) => {
    const message = JSON.parse(String(data)) as { id?: number; result: string; params: (typeof pushed)[number] }
    if (message.id === undefined) pushed.push(message.params)
    else answers.set(message.id, message.result)
  })
  await new Promise((resolve) => client.once('open', resolve))
  let last = 0
  return {
    stage,
    pushed,
    ask: async (method, params) => {
      last += 1
      const id = last
      client.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
      await until(() => answers.has(id), `answer to ${method}`)
      return answers.get(id) ?? ''
    },
  }
}

const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

describe('subscriptions carried to a new connection', () => {
  it('what is pushed while missed heads are read comes behind them, and once', async () => {
    let tip = 100
    const node = await startScriptedNode(async ({ method, params }, self) => {
      if (method !== 'eth_getBlockByNumber') return hex(tip)
      // News arrive in the middle, of blocks that are read again and of one that is not.
      if (Number(params[0]) === 102) for (const height of [104, 105, 106]) self.push('newHeads', headOf(height))
      await delay(20)
      return blockOf(Number(params[0]))
    })
    const { ask, pushed } = await open(node)
    const id = await ask('eth_subscribe', ['newHeads'])
    node.push('newHeads', headOf(101))
    await until(() => pushed.length === 1, 'first head')
    tip = 105
    node.cut()
    await until(() => pushed.length >= 6, 'all heads')
    node.push('newHeads', headOf(106))
    node.push('newHeads', headOf(107))
    await until(() => pushed.length >= 7, 'next head')
    await delay(50)
    expect(pushed.map(({ result }) => Number(result['number']))).toEqual([101, 102, 103, 104, 105, 106, 107])
    expect(new Set(pushed.map(({ subscription }) => subscription))).toEqual(new Set([id]))
    // Read again or pushed: a header is a header, down to the order of its members.
    expect(pushed.map(({ result }) => JSON.stringify(result))).toEqual(
      [101, 102, 103, 104, 105, 106, 107].map((height) => JSON.stringify(headOf(height))),
    )
  })

  it('one that the client ends while it is carried over is ended at the node, too, and says nothing more', async () => {
    const node = await startScriptedNode(() => hex(100))
    const { ask, pushed } = await open(node)
    const id = await ask('eth_subscribe', ['logs'])
    const kept = await ask('eth_subscribe', ['newHeads'])
    let take = (): void => undefined
    node.taking = new Promise((resolve) => {
      take = resolve
    })
    const before = node.asked.length
    const since = (method: string) => node.asked.slice(before).filter((one) => one.method === method)
    node.cut()
    await until(() => since('eth_subscribe').some(({ params }) => params[0] === 'logs'), 'subscribed again')
    expect(await ask('eth_unsubscribe', [id])).toBe(true)
    take()
    await until(() => since('eth_unsubscribe').length === 1, 'ended at the node')
    expect(since('eth_unsubscribe')[0]?.params).toEqual(node.ids['logs'])
    node.push('logs', logOf(101, 0))
    node.push('newHeads', headOf(101))
    await until(() => pushed.length > 0, 'a head')
    await delay(50)
    expect(pushed.map(({ subscription }) => subscription)).toEqual([kept])
  })

  it('logs of a block that was half delivered come once', async () => {
    let tip = 100
    const node = await startScriptedNode(({ method, params }, self) => {
      if (method !== 'eth_getLogs') return hex(tip)
      const [{ fromBlock, toBlock }] = params as [{ fromBlock: string; toBlock: string }]
      self.push('logs', logOf(102, 0))
      const blocks = Array.from(
        { length: Number(toBlock) - Number(fromBlock) + 1 },
        (_, index) => Number(fromBlock) + index,
      )
      return blocks.flatMap((height) => [logOf(height, 0), logOf(height, 1)])
    })
    const { ask, pushed } = await open(node)
    const filter = { address: '0xa', topics: [null, '0xb'], fromBlock: '0x1' }
    await ask('eth_subscribe', ['logs', filter])
    node.push('newHeads', headOf(101))
    node.push('logs', logOf(101, 0))
    await until(() => pushed.length === 1, 'first log')
    tip = 102
    node.cut()
    await until(() => pushed.length >= 4, 'missed logs')
    node.push('logs', logOf(103, 0))
    await until(() => pushed.length >= 5, 'next log')
    expect(pushed.map(({ result }) => [Number(result['blockNumber']), Number(result['logIndex'])])).toEqual([
      [101, 0],
      [101, 1],
      [102, 0],
      [102, 1],
      [103, 0],
    ])
    // Nothing from before the subscription, and only what its filter lets through.
    const [again] = node.asked.filter(({ method }) => method === 'eth_getLogs').map(({ params }) => params[0])
    expect(again).toEqual({ fromBlock: '0x65', toBlock: '0x66', address: '0xa', topics: [null, '0xb'] })
  })

  it('logs that were missed pass the filter, in whatever letters it names its members', async () => {
    let tip = 100
    const node = await startScriptedNode(({ method }) => (method === 'eth_getLogs' ? [logOf(tip, 0)] : hex(tip)))
    const { ask, pushed } = await open(node)
    await ask('eth_subscribe', ['logs', { Address: '0xa', TOPICS: ['0xb'], FromBlock: '0x1' }])
    tip = 101
    node.cut()
    await until(() => pushed.length === 1, 'the missed log')
    const [again] = node.asked.filter(({ method }) => method === 'eth_getLogs').map(({ params }) => params[0])
    expect(again).toEqual({ fromBlock: '0x65', toBlock: '0x65', address: '0xa', topics: ['0xb'] })
  })

  it('accepted transactions that were missed are read from the blocks', async () => {
    let tip = 100
    const node = await startScriptedNode(({ method, params }) =>
      method === 'eth_getBlockByNumber' ? blockOf(Number(params[0])) : hex(tip),
    )
    const { ask, pushed } = await open(node)
    await ask('eth_subscribe', ['newAcceptedTransactions'])
    node.push('newHeads', headOf(101))
    node.push('newAcceptedTransactions', '0xt101')
    await until(() => pushed.length === 1, 'first transaction')
    tip = 103
    node.cut()
    await until(() => pushed.length >= 3, 'missed transactions')
    expect(pushed.map(({ result }) => result)).toEqual(['0xt101', '0xt102', '0xt103'])
  })

  it('an id that a later connection gives again is not given to a client twice', async () => {
    const node = await startScriptedNode(({ method, params }) =>
      method === 'eth_getBlockByNumber' ? blockOf(Number(params[0])) : hex(100),
    )
    const { ask, pushed } = await open(node)
    const first = await ask('eth_subscribe', ['newPendingTransactions'])
    const second = await ask('eth_subscribe', ['logs', {}])
    expect([first, second]).toEqual(['0x2', '0x3'])
    expect(await ask('eth_unsubscribe', [first])).toBe(true)
    node.cut()
    await until(() => node.ids['logs']?.[0] === '0x2', 'the subscription at the new connection')
    const third = await ask('eth_subscribe', ['newPendingTransactions'])
    expect(node.ids['newPendingTransactions']).toEqual(['0x3'])
    expect(third).not.toBe(second)
    node.push('newPendingTransactions', '0xt')
    node.push('logs', logOf(101, 0))
    await until(() => pushed.length === 2, 'both')
    expect(pushed.map(({ subscription }) => subscription)).toEqual([third, second])
  })

  it('one that the node has not taken yet when the connection is lost is taken at the next', async () => {
    const node = await startScriptedNode(() => hex(100))
    const { ask, pushed } = await open(node)
    await ask('eth_subscribe', ['newHeads'])
    node.taking = new Promise(() => undefined)
    const begun = ask('eth_subscribe', ['logs', {}])
    await until(() => node.asked.some(({ params }) => params[0] === 'logs'), 'the subscribing call')
    node.taking = Promise.resolve()
    node.cut()
    const id = await begun
    expect(id).toMatch(/^0x/)
    node.push('logs', logOf(101, 0))
    await until(() => pushed.length === 1, 'a log')
    expect(pushed.map(({ subscription }) => subscription)).toEqual([id])
  })

  it('the last one that ends takes none along that is about to begin', async () => {
    const node = await startScriptedNode(() => hex(100))
    const { ask, pushed } = await open(node)
    const before = await ask('eth_subscribe', ['newHeads'])
    let take = (): void => undefined
    node.taking = new Promise((resolve) => {
      take = resolve
    })
    const begun = ask('eth_subscribe', ['logs', {}])
    await until(() => node.asked.some(({ params }) => params[0] === 'logs'), 'the subscribing call')
    expect(await ask('eth_unsubscribe', [before])).toBe(true)
    take()
    const id = await begun
    expect(id).toMatch(/^0x/)
    node.push('logs', logOf(101, 0))
    await until(() => pushed.length === 1, 'a log')
    expect(pushed.map(({ subscription }) => subscription)).toEqual([id])
  })
})
