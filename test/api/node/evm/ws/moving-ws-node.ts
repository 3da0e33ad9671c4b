import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { type WebSocket, WebSocketServer } from 'ws'

// A chain whose blocks say all about themselves, and nodes that push them to subscribers at moments of their own.

export interface MovingCall {
  id: number
  method: string
  params: readonly unknown[]
}

export interface MovingLog {
  address: string
  topics: string[]
  blockNumber: string
  blockHash: string
  logIndex: string
}

/** Members of a filter that clients use here. */
export interface MovingFilter {
  address?: string
  topics?: (string | null)[]
  fromBlock?: string
  toBlock?: string
}

export const hex = (value: number): string => `0x${value.toString(16)}`
const padded = (value: number): string => value.toString(16).padStart(63, '0')
export const hashOf = (height: number): string => `0xb${padded(height)}`
export const transactionOf = (height: number): string => `0xc${padded(height)}`
export const ADDRESSES = ['a', 'b'].map((digit) => `0x${digit.repeat(40)}`)
export const TOPICS = ['1', '2', '3'].map((digit) => `0x${digit.repeat(64)}`)

/** None in some blocks, up to three in others. */
export const logsOf = (height: number): MovingLog[] =>
  Array.from({ length: (height * 7) % 4 }, (_, at) => ({
    address: ADDRESSES[(height + at) % 2] as string,
    topics: [TOPICS[(height + at) % 3] as string],
    blockNumber: hex(height),
    blockHash: hashOf(height),
    transactionHash: transactionOf(height),
    logIndex: hex(at),
    removed: false,
  }))

/** Whether a log is one of a filter, of its range too. */
export function matches({ address, topics, fromBlock, toBlock }: MovingFilter, log: MovingLog): boolean {
  const height = Number(log.blockNumber)
  if (address !== undefined && address !== log.address) return false
  if (topics?.[0] && topics[0] !== log.topics[0]) return false
  if (fromBlock?.startsWith('0x') && height < Number(fromBlock)) return false
  return !(toBlock?.startsWith('0x') && height > Number(toBlock))
}

const headOf = (height: number) => ({ parentHash: hashOf(height - 1), number: hex(height), hash: hashOf(height) })

/** All that a node at this height says; it leaves out what it has not got. */
function resultOf(height: number, { method, params }: MovingCall): unknown {
  const [first] = params
  if (method === 'eth_blockNumber') return hex(height)
  if (method === 'eth_getTransactionReceipt') {
    const named = Number.parseInt(String(first).slice(3), 16)
    return named > height ? null : { blockNumber: hex(named), blockHash: hashOf(named) }
  }
  if (method.startsWith('eth_getBlockBy')) {
    const text = String(first)
    const named = text === 'latest' ? height : Number.parseInt(text.slice(method.endsWith('Hash') ? 3 : 2), 16)
    return named > height ? null : { ...headOf(named), transactions: [transactionOf(named)], uncles: [] }
  }
  if (method !== 'eth_getLogs') return { method }
  const filter = first as MovingFilter
  const from = Number(filter.fromBlock)
  const end = Math.min(height, Number(filter.toBlock ?? height))
  const blocks = Array.from({ length: Math.max(0, end - from + 1) }, (_, at) => from + at)
  return blocks.flatMap(logsOf).filter((log) => matches(filter, log))
}

interface Push {
  kind: string
  filter: MovingFilter
  send(result: unknown): void
}

export interface MovingWsNode {
  readonly url: string
  readonly height: number
  isDead: boolean
  /** Accepts no blocks. */
  isStuck: boolean
  /** Says nothing on its WebSockets, but answers pings. */
  isMute: boolean
  /** Has this block, and pushes it. One at a time. */
  accept(height: number): void
  /** Hears of a transaction. */
  hear(transaction: string): void
  cut(): void
  /** Its WebSockets, and the subscriptions on them. */
  open(): { sockets: number; subscriptions: number }
  stop(): void
}

/** @param random decides what is said when */
export async function startMovingWsNode(first: number, random: () => number): Promise<MovingWsNode> {
  let height = first
  const sockets = new Map<WebSocket, Map<string, Push>>()
  const reply = (call: MovingCall) => ({ jsonrpc: '2.0', id: call.id, result: resultOf(height, call) })
  const onRequest = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString()) as MovingCall | MovingCall[]
    if (node.isDead) return void request.socket.destroy()
    const text = JSON.stringify(Array.isArray(body) ? body.map(reply) : reply(body))
    await pause(random() * 4)
    response.writeHead(200, { 'content-type': 'application/json' }).end(text)
  }
  const server = createServer((request, response) => void onRequest(request, response).catch(() => response.destroy()))
  const door = new WebSocketServer({ noServer: true })
  let ids = 0
  /** Each subscription is told in its order; a node orders nothing between two of them. */
  const subscribe = (socket: WebSocket, { id, params }: MovingCall): void => {
    ids += 1
    const own = hex(ids % 1_000)
    let before: Promise<unknown> = Promise.resolve()
    const send = (result: unknown): void => {
      const message = { jsonrpc: '2.0', method: 'eth_subscription', params: { subscription: own, result } }
      // Late by itself, not by all before it: a node's logs may be a few blocks behind its heads, and Firn reads seven again.
      const due = performance.now() + (random() < 0.2 ? random() * 40 : 0)
      before = before.then(async () => {
        const ms = due - performance.now()
        if (ms > 0) await pause(ms)
        while (node.isMute) await pause(10)
        if (sockets.get(socket)?.has(own)) socket.send(`${JSON.stringify(message)}\n`)
      })
    }
    const [kind, filter] = params as [string, MovingFilter | undefined]
    sockets.get(socket)?.set(own, { kind, filter: filter ?? {}, send })
    socket.send(`${JSON.stringify({ jsonrpc: '2.0', id, result: own })}\n`)
  }
  const onMessage = async (socket: WebSocket, data: string): Promise<void> => {
    const call = JSON.parse(data) as MovingCall
    while (node.isMute) await pause(10)
    if (!sockets.has(socket)) return
    if (call.method === 'eth_subscribe') subscribe(socket, call)
    else if (call.method === 'eth_unsubscribe') {
      const result = sockets.get(socket)?.delete(String(call.params[0])) === true
      socket.send(`${JSON.stringify({ jsonrpc: '2.0', id: call.id, result })}\n`)
    } else {
      const text = `${JSON.stringify(reply(call))}\n`
      if (random() < 0.5) await pause(random() * 4)
      socket.send(text)
    }
  }
  server.on('upgrade', (request, stream, head) => {
    stream.on('error', () => undefined)
    if (node.isDead) return void stream.destroy()
    door.handleUpgrade(request, stream, head, (socket) => {
      sockets.set(socket, new Map())
      socket.on('error', () => undefined)
      socket.on('close', () => void sockets.delete(socket))
      socket.on('message', (data) => void onMessage(socket, String(data)))
    })
  })
  const pushAll = (kind: string, results: (filter: MovingFilter) => unknown[]): void => {
    const all = [...sockets.values()].flatMap((pushes) => [...pushes.values()])
    for (const push of all) if (push.kind === kind) for (const result of results(push.filter)) push.send(result)
  }
  const node: MovingWsNode = {
    url: '',
    get height() {
      return height
    },
    isDead: false,
    isStuck: false,
    isMute: false,
    accept: (next) => {
      height = next
      const kinds: [string, (filter: MovingFilter) => unknown[]][] = [
        ['newHeads', () => [headOf(next)]],
        ['logs', (filter) => logsOf(next).filter((log) => matches(filter, log))],
      ]
      for (const [kind, results] of random() < 0.5 ? kinds : kinds.reverse()) pushAll(kind, results)
    },
    hear: (transaction) => pushAll('newPendingTransactions', () => [transaction]),
    cut: () => {
      for (const socket of sockets.keys()) socket.terminate()
    },
    open: () => ({
      sockets: sockets.size,
      subscriptions: [...sockets.values()].reduce((sum, pushes) => sum + pushes.size, 0),
    }),
    stop: () => {
      node.cut()
      server.close()
      server.closeAllConnections()
    },
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return Object.assign(node, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
}

export const pick = <T>(random: () => number, list: readonly T[]): T => list[Math.floor(random() * list.length)] as T

/** What nodes accept, one after another. */
export interface Chain {
  nodes: readonly MovingWsNode[]
  top: number
  isOver: boolean
}

/** Until the chain is over. */
export async function runNode(chain: Chain, node: MovingWsNode, random: () => number): Promise<void> {
  while (!chain.isOver) {
    await pause(random() < 0.1 ? 60 : random() * 12)
    if (!node.isStuck && !node.isDead && node.height < chain.top) node.accept(node.height + 1)
  }
}

/** Each node hears of its transaction before, at a moment of its own. */
export function makeBlock(chain: Chain, random: () => number): void {
  chain.top += 1
  const transaction = transactionOf(chain.top + 2)
  for (const node of chain.nodes) setTimeout(() => node.hear(transaction), random() * 60)
}

/** One fault of one node, while another is there. */
export async function fail({ nodes }: Chain, random: () => number): Promise<void> {
  const node = pick(random, nodes)
  const what = random()
  if (what < 0.3) return node.cut()
  if (nodes.filter(({ isDead, isMute }) => isDead || isMute).length >= nodes.length - 1) return
  const fault = pick(random, ['isDead', 'isDead', 'isStuck', 'isMute'] as const)
  node[fault] = true
  if (fault === 'isDead') node.cut()
  await pause(random() * (fault === 'isMute' ? 3_000 : 350))
  node[fault] = false
}

/** What shows that somebody does not know a block. */
export const asks = (height: number): [method: string, params: unknown[], isWrong: (result: unknown) => boolean][] => [
  ['eth_blockNumber', [], (result) => Number(result) < height],
  ['eth_getBlockByHash', [hashOf(height), false], (result) => result === null],
  ['eth_getBlockByNumber', [hex(height), false], (result) => result === null],
  ['eth_getBlockByNumber', ['latest', false], (result) => Number((result as { number: string }).number) < height],
  ['eth_getTransactionReceipt', [transactionOf(height)], (result) => result === null],
  [
    'eth_getLogs',
    [{ fromBlock: hex(height - 2) }],
    (result) => logsOf(height).some((log) => !(result as MovingLog[]).some((one) => one.blockHash === log.blockHash)),
  ],
]
