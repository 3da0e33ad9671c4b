import { setTimeout as pause } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { eventually } from '../../../support/waiting/eventually.ts'
import { randomOf } from './chaos-run.ts'
import {
  ADDRESSES,
  asks,
  type Chain,
  fail,
  hashOf,
  hex,
  logsOf,
  type MovingFilter,
  type MovingLog,
  makeBlock,
  matches,
  pick,
  runNode,
  startMovingWsNode,
  TOPICS,
} from './moving-ws-node.ts'
import { type EvmStage, startEvmStage } from './stage.ts'

// Subscribers over nodes that accept blocks at moments of their own, and fail in turn. Seeded.

export interface SocketsReport {
  /** Twice, left out, out of order, not known behind it, or left open. */
  wrong: string[]
  /** By kind. */
  pushed: Record<string, number>
  /** Calls that were checked. */
  asked: number
  errors: number
  /** Clients that were told to begin anew. */
  broken: number
  clients: number
}

interface Subscribed {
  id: string
  kind: string
  filter: MovingFilter
  isEnding: boolean
  hasEnded: boolean
  heads: number[]
  logs: MovingLog[]
  transactions: Set<string>
}

interface Run {
  random: () => number
  report: SocketsReport
  stages: readonly EvmStage[]
  top(): number
  /** Questions that are not answered yet. */
  checks: Promise<void>[]
}

const FIRST = 1_000

interface Answer {
  result?: unknown
  error?: { code: number; message: string }
}

/** A client of one connection. */
interface SocketClient {
  subscriptions: Subscribed[]
  subscribe(kind: string, filter?: MovingFilter): Promise<void>
  unsubscribe(one: Subscribed): Promise<void>
  leave(): void
  /** Whether it is connected. */
  isHere(): boolean
}

async function openMoving(run: Run, name: string): Promise<SocketClient> {
  const { random, report } = run
  const socket = new WebSocket(pick(random, run.stages).wsUrl)
  const subscriptions: Subscribed[] = []
  const waiting = new Map<number, (answer: Answer | undefined) => void>()
  let last = 0
  let hasLeft = false
  const wrong = (text: string): void => void report.wrong.push(`${name}: ${text}`)
  const call = (method: string, params: unknown[], taken?: (answer: Answer) => void): Promise<Answer | undefined> =>
    new Promise((resolve) => {
      last += 1
      waiting.set(last, (answer) => {
        if (answer) taken?.(answer)
        resolve(answer)
      })
      if (socket.readyState === socket.OPEN) socket.send(JSON.stringify({ jsonrpc: '2.0', id: last, method, params }))
      else resolve(undefined)
    })
  const post = async (method: string, params: unknown[]): Promise<Answer | undefined> => {
    const { status, text } = await pick(random, run.stages).post({ jsonrpc: '2.0', id: 1, method, params })
    return status === 200 ? (JSON.parse(text) as Answer) : { error: { code: status, message: text } }
  }
  /** Asks, behind what was told. */
  const check = async (height: number, why: string): Promise<void> => {
    const [method, params, isWrong] = pick(random, asks(height))
    const isHere = random() < 0.5
    const answer = await (isHere ? call : post)(method, params)
    if (!answer) return
    report.asked += 1
    if (answer.error) report.errors += 1
    else if (isWrong(answer.result))
      wrong(
        `${isHere ? 'socket' : 'HTTP'} ${method} ${JSON.stringify(params)}: ${JSON.stringify(answer.result)?.slice(0, 150)} behind ${why} ${height}`,
      )
  }
  const onHead = (one: Subscribed, head: { number: string; hash: string; parentHash: string }): number => {
    const height = Number(head.number)
    const before = one.heads.at(-1)
    if (before !== undefined && height !== before + 1) wrong(`${one.id} head ${height} behind ${before}`)
    if (head.hash !== hashOf(height) || head.parentHash !== hashOf(height - 1)) wrong(`head ${JSON.stringify(head)}`)
    one.heads.push(height)
    return height
  }
  const placeOf = (log: MovingLog): number => Number(log.blockNumber) * 100 + Number(log.logIndex)
  const onLog = (one: Subscribed, log: MovingLog): number => {
    const before = one.logs.at(-1)
    const [was, is] = [before ? placeOf(before) : 0, placeOf(log)]
    if (one.logs.some((other) => placeOf(other) === is)) wrong(`${one.id} log ${is} twice`)
    else if (is < was) wrong(`${one.id} log ${is} behind ${was}`)
    if (!matches(one.filter, log)) wrong(`${one.id} log ${is} is not of ${JSON.stringify(one.filter)}`)
    one.logs.push(log)
    return Number(log.blockNumber)
  }
  const onPush = ({ subscription, result }: { subscription: string; result: unknown }): void => {
    const one = subscriptions.find(({ id, hasEnded }) => id === subscription && !hasEnded)
    if (!one) {
      wrong(`a push for ${subscription}, which is nobody's`)
      return
    }
    report.pushed[one.kind] = (report.pushed[one.kind] ?? 0) + 1
    if (one.kind === 'newPendingTransactions') {
      if (one.transactions.has(String(result))) wrong(`${one.id} ${String(result)} twice`)
      one.transactions.add(String(result))
      return
    }
    const height = one.kind === 'newHeads' ? onHead(one, result as never) : onLog(one, result as never)
    if (random() < 0.6) run.checks.push(check(height, one.kind))
  }
  socket.on('error', () => undefined)
  socket.on('message', (data) => {
    const message = JSON.parse(String(data)) as Answer & { id?: number; params?: never }
    if (message.id === undefined) return void (hasLeft || onPush(message.params as never))
    waiting.get(message.id)?.(message)
    waiting.delete(message.id)
  })
  socket.on('close', (code, reason) => {
    for (const answered of waiting.values()) answered(undefined)
    if (hasLeft) return
    hasLeft = true
    report.broken += 1
    if (code !== 1013) wrong(`closed with ${code} ${String(reason)}`)
  })
  await new Promise<void>((resolve, reject) => {
    socket.once('open', () => resolve())
    socket.once('error', reject)
  })
  report.clients += 1
  return {
    subscriptions,
    isHere: () => !hasLeft,
    subscribe: async (kind, filter) => {
      await call('eth_subscribe', filter ? [kind, filter] : [kind], ({ result, error }) => {
        if (error) report.errors += 1
        else if (subscriptions.some(({ id, hasEnded }) => id === result && !hasEnded))
          wrong(`two are ${String(result)}`)
        else
          subscriptions.push({
            ...{ id: String(result), kind, filter: filter ?? {}, isEnding: false, hasEnded: false },
            ...{ heads: [], logs: [], transactions: new Set() },
          })
      })
    },
    unsubscribe: async (one) => {
      one.isEnding = true
      await call('eth_unsubscribe', [one.id], ({ result, error }) => {
        one.hasEnded = true
        if (result !== true) wrong(`unsubscribe ${one.id}: ${JSON.stringify(error)}`)
      })
    },
    leave: () => {
      hasLeft = true
      if (random() < 0.5) socket.close()
      else socket.terminate()
    },
  }
}

function filterOf({ random, top }: Run): MovingFilter {
  return {
    ...(random() < 0.4 && { address: pick(random, ADDRESSES) }),
    ...(random() < 0.3 && { topics: [pick(random, TOPICS)] }),
    ...(random() < 0.3 && { fromBlock: hex(top() + Math.floor(random() * 5)) }),
  }
}

async function subscribeSome(run: Run, client: SocketClient): Promise<void> {
  const { random } = run
  const kind = pick(random, ['newHeads', 'newHeads', 'logs', 'logs', 'newPendingTransactions'])
  if (kind !== 'logs') return client.subscribe(kind)
  const filter = filterOf(run)
  // A node takes no end without a beginning.
  if (filter.fromBlock && random() < 0.5) filter.toBlock = hex(Number(filter.fromBlock) + Math.floor(random() * 12))
  return client.subscribe(kind, filter)
}

/** All logs between the first and the last one. */
function missingLogs({ id, filter, logs }: Subscribed, top: number): string[] {
  const [first] = logs
  if (!first) return []
  const has = new Set(logs.map((log) => `${log.blockHash} ${log.logIndex}`))
  const from = Number(first.blockNumber) + 1
  const due = Array.from({ length: Math.max(0, top - from + 1) }, (_, at) => from + at).flatMap(logsOf)
  return due
    .filter((log) => matches(filter, log) && !has.has(`${log.blockHash} ${log.logIndex}`))
    .map((log) => `${id} ${JSON.stringify(filter)}: log ${Number(log.blockNumber)}.${log.logIndex} is missing`)
}

/** One thing after another that clients do. */
async function act(run: Run, clients: SocketClient[]): Promise<void> {
  const { random, report } = run
  const what = random()
  const here = clients.filter((client) => client.isHere())
  const one = pick(random, here)
  if (here.length < 3 || (here.length < 7 && what < 0.1)) {
    const client = await openMoving(run, `client ${report.clients}`)
    clients.push(client)
    await Promise.all([1, 2, 3].map(() => subscribeSome(run, client)))
  } else if (what < 0.4) await subscribeSome(run, one)
  else if (what < 0.6) {
    const live = one.subscriptions.filter(({ isEnding }) => !isEnding)
    if (live.length > 0) await one.unsubscribe(pick(random, live))
  } else if (what < 0.68) one.leave()
}

/** What every subscription must have in the end. */
const missingOf = (clients: readonly SocketClient[], top: number): string[] =>
  clients
    .filter((client) => client.isHere())
    .flatMap(({ subscriptions }) => subscriptions)
    .filter(({ hasEnded }) => !hasEnded)
    .flatMap((one) => {
      if (one.kind === 'logs') return missingLogs(one, top)
      return one.kind === 'newHeads' && one.heads.at(-1) !== top ? [`${one.id} has ${one.heads.at(-1)} of ${top}`] : []
    })

export async function runMovingSockets(seed: number, blocks: number): Promise<SocketsReport> {
  const random = randomOf(seed)
  const nodes = await Promise.all([1, 2, 3].map(() => startMovingWsNode(FIRST, random)))
  const limits = { hedgeMinMs: 20, breakerOpenMs: 300 }
  const stage = await startEvmStage({
    ...{ nodes: nodes.map(({ url }) => url), tipCacheMs: 1_000, limits },
    sockets: { pingMs: 1_000, idleLinkMs: 100 },
  })
  const report: SocketsReport = { wrong: [], pushed: {}, asked: 0, errors: 0, broken: 0, clients: 0 }
  const chain: Chain = { nodes, top: FIRST, isOver: false }
  const run: Run = { random, report, stages: [stage], top: () => chain.top, checks: [] }
  const running = nodes.map((node) => runNode(chain, node, random))
  const clients: SocketClient[] = []
  const acting: Promise<void>[] = []
  while (chain.top < FIRST + blocks) {
    makeBlock(chain, random)
    if (random() < 0.5) acting.push(fail(chain, random))
    if (random() < 0.6) acting.push(act(run, clients))
    await pause(random() * 40)
  }
  await Promise.all(acting)
  // Those that began last, too.
  chain.top += 1
  const isTold = () => {
    const missing = missingOf(clients, chain.top)
    if (missing.length > 0) throw new Error(missing.join('\n'))
  }
  await eventually(isTold).catch((error: Error) => void report.wrong.push(error.message))
  await Promise.all(run.checks)
  for (const client of clients) if (client.isHere()) client.leave()
  const left = () => {
    const open = nodes.map((node) => node.open())
    if (stage.sockets.size > 0 || open.some(({ sockets }) => sockets > 0))
      throw new Error(`left: ${stage.sockets.size}, ${JSON.stringify(open)}`)
  }
  await eventually(left).catch((error: Error) => void report.wrong.push(error.message))
  chain.isOver = true
  await Promise.all(running)
  await stage.close()
  for (const node of nodes) node.stop()
  return report
}
