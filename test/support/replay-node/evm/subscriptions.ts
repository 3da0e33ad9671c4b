import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { firstValue, GoJsonError, goEscape, kindOf, rawElements } from '../wire/go-json.ts'
import type { RecordedFacts } from '../wire/gorilla-rpc.ts'
import { type LogFilter, logFilter } from './evm-arguments.ts'
import type { EvmEndpoint } from './evm-endpoints.ts'
import { findLogs } from './evm-log-methods.ts'
import { answerMessage, EvmError, type EvmMethods } from './evm-rpc.ts'

interface Subscription {
  id: string
  kind: string
  filter: LogFilter | undefined
}

interface Client {
  socket: WebSocket
  endpoint: EvmEndpoint
  /** Height up to which heads were sent. */
  sent: number
  subscriptions: Map<string, Subscription>
}

/** WebSockets of the EVM endpoints: every method, and subscriptions to heads and logs that follow the moving tip. */
export interface Subscriptions {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, endpoint: EvmEndpoint, facts: RecordedFacts): void
  /** Sends what the subscribers have not seen yet. */
  publish(): void
  close(): void
}

const HEAD_LACKS = new Set(['transactions', 'uncles', 'size', 'totalDifficulty', 'blockExtraData'])
const KINDS = ['newHeads', 'logs', 'newPendingTransactions', 'newAcceptedTransactions']

function subscribe(client: Client, params: readonly string[], method: string): string {
  if (params[0]?.startsWith('"') !== true) throw new EvmError(-32602, 'expected subscription name as first argument')
  const kind = String(JSON.parse(params[0]))
  const namespace = method.slice(0, method.indexOf('_'))
  if (namespace !== 'eth' || !KINDS.includes(kind)) {
    throw new EvmError(-32601, `no "${kind}" subscription in ${namespace} namespace`)
  }
  const id = `0x${(client.subscriptions.size + 1).toString(16).padStart(32, '2')}`
  const filter = kind === 'logs' ? logFilter(params[1] ?? '{}') : undefined
  client.subscriptions.set(id, { id, kind, filter })
  return JSON.stringify(id)
}

function eventsOf(client: Client, { kind, filter }: Subscription, height: number): unknown[] {
  const { chain } = client.endpoint
  const { block } = chain.at(height)
  if (kind === 'newHeads') {
    return [Object.fromEntries(Object.entries(block).filter(([name]) => !HEAD_LACKS.has(name)))]
  }
  if (kind === 'newAcceptedTransactions') return block.transactions.map((transaction) => transaction.hash)
  if (filter === undefined) return []
  return findLogs(chain, { ...filter, from: BigInt(height), to: BigInt(height), blockHash: undefined })
}

function sendNews(client: Client): void {
  const tip = client.endpoint.chain.tip()
  for (let height = client.sent + 1; height <= tip; height++) {
    for (const subscription of client.subscriptions.values()) {
      for (const result of eventsOf(client, subscription, height)) {
        const params = { subscription: subscription.id, result }
        client.socket.send(goEscape(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params })))
      }
    }
  }
  client.sent = Math.max(client.sent, tip)
}

function methodsFor(client: Client): EvmMethods {
  return {
    ...client.endpoint.methods,
    eth_subscribe: (params, method) => subscribe(client, params, method),
    eth_unsubscribe(params) {
      const id = String(JSON.parse(params[0] ?? '""'))
      if (!client.subscriptions.delete(id)) throw new EvmError(-32000, 'subscription not found')
      return 'true'
    },
  }
}

function answerText(text: string, methods: EvmMethods, facts: RecordedFacts): string | undefined {
  try {
    const raw = firstValue(text)
    if (kindOf(raw) !== 'array') return answerMessage(raw, methods, facts)
    const answers = rawElements(raw).map((entry) => answerMessage(entry, methods, facts))
    const given = answers.filter((answer) => answer !== undefined)
    return given.length === 0 ? undefined : `[${given.join(',')}]`
  } catch (error) {
    if (!(error instanceof GoJsonError)) throw error
    return '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}'
  }
}

export function createSubscriptions(): Subscriptions {
  const server = new WebSocketServer({ noServer: true, maxPayload: 32 * 1024 * 1024 })
  const clients = new Set<Client>()
  return {
    upgrade(request, socket, head, endpoint, facts) {
      server.handleUpgrade(request, socket, head, (webSocket) => {
        const client: Client = { socket: webSocket, endpoint, sent: endpoint.chain.tip(), subscriptions: new Map() }
        const methods = methodsFor(client)
        clients.add(client)
        webSocket.on('close', () => clients.delete(client))
        webSocket.on('error', () => webSocket.terminate())
        webSocket.on('message', (data) => {
          const answer = answerText(String(data), methods, facts)
          if (answer !== undefined) webSocket.send(`${goEscape(answer)}\n`)
        })
      })
    },
    publish() {
      for (const client of clients) sendNews(client)
    },
    close() {
      for (const client of clients) client.socket.terminate()
      server.close()
    },
  }
}
