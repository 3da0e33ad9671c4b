import { setTimeout as pause } from 'node:timers/promises'
import type { PeerProcesses } from '../../../../../src/api/node/forward/consistency/peer-processes.ts'
import { eventually } from '../../../../support/waiting/eventually.ts'
import { randomOf } from '../chaos-run.ts'
import { type EvmStage, startEvmStage } from '../stage.ts'
import { openMoving, type Run, type SocketClient, type SocketsReport, type Subscribed } from './moving-socket-client.ts'
import {
  ADDRESSES,
  type Chain,
  fail,
  hex,
  logsOf,
  type MovingFilter,
  makeBlock,
  matches,
  pick,
  runNode,
  startMovingWsNode,
  TOPICS,
} from './moving-ws-node.ts'

// Subscribers over nodes that accept blocks at moments of their own, and fail in turn. Seeded.

const FIRST = 1_000

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

/** Processes among which a balancer chooses. */
interface Processes {
  count: number
  /** What connects one with the others. */
  connect(): Promise<PeerProcesses>
  /** Until so many hear each other. */
  connected(count: number): Promise<void>
}

/** @param processes left out = there is one */
export async function runMovingSockets(seed: number, blocks: number, processes?: Processes): Promise<SocketsReport> {
  const random = randomOf(seed)
  const nodes = await Promise.all([1, 2, 3].map(() => startMovingWsNode(FIRST, random)))
  const limits = { hedgeMinMs: 20, breakerOpenMs: 300 }
  const start = async (peers?: PeerProcesses): Promise<EvmStage> =>
    startEvmStage({
      ...{ nodes: nodes.map(({ url }) => url), tipCacheMs: 1_000, limits },
      ...{ sockets: { pingMs: 1_000, idleLinkMs: 100 }, ...(peers && { peers }) },
    })
  const stages = await Promise.all(
    Array.from({ length: processes?.count ?? 1 }, async () => start(await processes?.connect())),
  )
  await processes?.connected(stages.length)
  const report: SocketsReport = { wrong: [], pushed: {}, asked: 0, errors: 0, broken: 0, clients: 0 }
  const chain: Chain = { nodes, top: FIRST, isOver: false }
  const run: Run = { random, report, stages, top: () => chain.top, checks: [] }
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
    const clientsOf = stages.map((stage) => stage.sockets.size)
    if (clientsOf.some((size) => size > 0) || open.some(({ sockets }) => sockets > 0))
      throw new Error(`left: ${clientsOf}, ${JSON.stringify(open)}`)
  }
  await eventually(left).catch((error: Error) => void report.wrong.push(error.message))
  chain.isOver = true
  await Promise.all(running)
  await Promise.all(stages.map((stage) => stage.close()))
  for (const node of nodes) node.stop()
  return report
}
