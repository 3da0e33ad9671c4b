import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { PeerProcesses } from '../../../../src/api/node/forward/consistency/peer-processes.ts'
import { createMovingNodes, failureOf, later, type MovingNode, type MovingReport, noteAnswer } from '../moving-nodes.ts'
import { type EvmStage, startEvmStage } from './stage.ts'

interface Call {
  id: number
  method: string
  params: readonly unknown[]
}

/** What a client asks, and what it must not be told. */
interface Question extends Omit<Call, 'id'> {
  /** Why this result is wrong; undefined = it is not. An error is no result. */
  fault(result: unknown): string | undefined
  /** The block that this result shows. */
  shows?(result: unknown): number | undefined
}

const hex = (height: number): string => `0x${height.toString(16)}`
const hashOf = (height: number): string => `0x${height.toString(16).padStart(64, '0')}`
const block = (height: number) => ({ number: hex(height), hash: hashOf(height) })
const log = (height: number) => ({ blockNumber: hex(height), blockHash: hashOf(height) })
const FIRST = 1_000
const CHAIN = 'C'

/** All that a node at this height says; it leaves out what it has not got. */
function resultOf(height: number, { method, params }: Omit<Call, 'id'>): unknown {
  const [first] = params
  const named = first === 'latest' ? height : Number(first)
  if (method === 'eth_blockNumber') return hex(height)
  if (method === 'eth_getBlockReceipts') return named > height ? null : [log(named)]
  if (method === 'eth_getTransactionReceipt') return named > height ? null : log(named)
  if (method.startsWith('eth_getBlock')) return named > height ? null : block(named)
  if (method !== 'eth_getLogs') return { method }
  const { fromBlock, toBlock } = first as { fromBlock: string; toBlock?: string }
  const end = Math.min(height, Number(toBlock ?? height))
  return Array.from({ length: Math.max(0, end - Number(fromBlock) + 1) }, (_, at) => log(Number(fromBlock) + at))
}

async function startMovingNode(node: MovingNode) {
  const answer = (call: Call) => ({ jsonrpc: '2.0', id: call.id, result: resultOf(node.heights[CHAIN] ?? 0, call) })
  const server = createServer(async (request, response) => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString()) as Call | Call[]
    const failure = failureOf(node)
    if (failure === 'cut') return void request.socket.destroy()
    if (failure) return void response.writeHead(failure.status).end(failure.body)
    const text = JSON.stringify(Array.isArray(body) ? body.map(answer) : answer(body))
    await later(node)
    response.writeHead(200, { 'content-type': 'application/json' }).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server }
}

const missing = (height: number, told: number): string => `null for block ${height}, ${told} told`

/** @param told the highest block that any client was told of before */
function questionOf(random: () => number, told: number): Question {
  const near = told - Math.floor(random() * random() * 5)
  const is = (result: unknown): string | undefined => (result === null ? missing(near, told) : undefined)
  const found = (method: string, ...params: unknown[]): Question => ({ method, params, fault: is })
  const whole = (from: number, last: number) => (result: unknown) => {
    const { length } = result as unknown[]
    return length < last - from + 1 ? `${length} logs of blocks ${from} to ${last}, ${told} told` : undefined
  }
  const next = told + 1
  const questions: (() => Question)[] = [
    () => ({
      method: 'eth_blockNumber',
      params: [],
      fault: (result) => (Number(result) < told ? `${Number(result)}, ${told} told` : undefined),
      shows: Number,
    }),
    () => found('eth_getTransactionReceipt', hashOf(near)),
    () => found('eth_getBlockByHash', hashOf(near), false),
    () => found('eth_getBlockByNumber', hex(near), false),
    () => found('eth_getBlockReceipts', hex(near)),
    () => ({
      method: 'eth_getLogs',
      params: [{ fromBlock: hex(near - 3), toBlock: hex(near) }],
      fault: whole(near - 3, near),
    }),
    () => ({
      method: 'eth_getLogs',
      params: [{ fromBlock: hex(told - 3) }],
      fault: whole(told - 3, told),
      shows: (result) => Number((result as { blockNumber: string }[]).at(-1)?.blockNumber),
    }),
    // Who guesses right is shown a block that nobody was told of.
    () => ({
      method: 'eth_getBlockByHash',
      params: [hashOf(next), false],
      fault: () => undefined,
      shows: (result) => (result === null ? undefined : next),
    }),
  ]
  return (questions[Math.floor(random() * questions.length)] as () => Question)()
}

/** Processes among which a balancer chooses. Now and then one takes the place of another, as while they are upgraded. */
interface Processes {
  count: number
  /** What connects a new one with the others. */
  connect(): Promise<PeerProcesses>
  /** Until so many hear each other. */
  connected(count: number): Promise<void>
}

/** Questions until a process is replaced. */
const RENEWED = 100

/** Until the others have told a process that starts what they know. */
const untilTold = (peers: PeerProcesses): Promise<void> =>
  new Promise((resolve) => peers.hear(({ kind }) => (kind === 'block' ? resolve() : undefined)))

/**
 * Asks so often over three nodes, in batches every second time.
 * @param processes left out = there is one
 */
export async function runMovingEvm(seed: number, times: number, processes?: Processes): Promise<MovingReport> {
  const moving = createMovingNodes(seed, { [CHAIN]: FIRST })
  moving.isApart = processes !== undefined
  const { random, report } = moving
  const started = await Promise.all(moving.nodes.map(startMovingNode))
  const limits = { hedgeMinMs: 20, breakerOpenMs: 500 }
  const nodes = started.map(({ url }) => url)
  const stages: EvmStage[] = []
  const start = async (peers?: PeerProcesses): Promise<EvmStage> => {
    const stage = await startEvmStage({ nodes, tipCacheMs: 1_000, limits, ...(peers && { peers }) })
    stages.push(stage)
    return stage
  }
  const serving = await Promise.all(
    Array.from({ length: processes?.count ?? 1 }, async () => start(await processes?.connect())),
  )
  await processes?.connected(processes.count)
  const renew = async ({ connect }: Processes): Promise<void> => {
    const peers = await connect()
    const isTold = untilTold(peers)
    const next = await start(peers)
    await isTold
    serving.splice(Math.floor(random() * serving.length), 1, next)
  }
  let [asked, renewing]: [number, Promise<void>] = [0, Promise.resolve()]

  const check = (question: Question, { result, error }: { result?: unknown; error?: unknown }): void => {
    const isError = error !== undefined
    const fault = isError ? undefined : question.fault(result)
    noteAnswer(moving, {
      isError,
      fault: fault && `${question.method} ${JSON.stringify(question.params)}: ${fault}`,
      chain: CHAIN,
      shows: isError ? undefined : question.shows?.(result),
    })
  }
  await moving.run(times, async (lane) => {
    const isBatch = lane % 2 === 1
    const length = isBatch ? 1 + Math.floor(random() * 4) : 1
    const own = Array.from({ length }, () => questionOf(random, moving.told[CHAIN] ?? 0))
    const calls = own.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }))
    asked += 1
    if (processes && asked % RENEWED === 0) renewing = renewing.then(() => renew(processes))
    const stage = serving[Math.floor(random() * serving.length)] as EvmStage
    const said = JSON.parse((await stage.post(isBatch ? calls : (calls[0] as object))).text)
    for (const [id, question] of own.entries()) check(question, Array.isArray(said) ? said[id] : said)
  })
  await renewing
  await Promise.all(stages.map((stage) => stage.close()))
  for (const { server } of started) {
    server.close()
    server.closeAllConnections()
  }
  return report
}
