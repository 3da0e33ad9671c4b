import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { randomOf } from './chaos-run.ts'
import { startEvmStage } from './stage.ts'

// Nodes that accept each block at moments of their own and fail in turn, and clients that are told of blocks and go on
// from there, seeded. An answer is computed when its question arrives and comes later, as a node's does.

type Fault = 'none' | 'dead' | 'busy' | 'page' | 'stuck'

interface MovingNode {
  height: number
  fault: Fault
  /** Longest time between a question and its answer, milliseconds. */
  delayMs: number
}

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

export interface MovingReport {
  /** Results that left out, denied or went back behind what a client had been told. */
  wrong: string[]
  answered: number
  errors: number
  blocks: number
}

const hex = (height: number): string => `0x${height.toString(16)}`
const hashOf = (height: number): string => `0x${height.toString(16).padStart(64, '0')}`
const block = (height: number) => ({ number: hex(height), hash: hashOf(height) })
const log = (height: number) => ({ blockNumber: hex(height), blockHash: hashOf(height) })
const FIRST = 1_000

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
  const answer = (call: Call) => ({ jsonrpc: '2.0', id: call.id, result: resultOf(node.height, call) })
  const server = createServer(async (request, response) => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString()) as Call | Call[]
    if (node.fault === 'dead') return void request.socket.destroy()
    if (node.fault === 'busy') return void response.writeHead(503).end('no')
    if (node.fault === 'page') return void response.writeHead(200).end('<html>')
    const text = JSON.stringify(Array.isArray(body) ? body.map(answer) : answer(body))
    await pause(Math.random() * node.delayMs)
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

/** Asks so many questions over three nodes, in eight lanes, every second lane in batches. */
export async function runMovingNodes(seed: number, questions: number): Promise<MovingReport> {
  const random = randomOf(seed)
  const nodes = [1, 2, 3].map((): MovingNode => ({ height: FIRST, fault: 'none', delayMs: 3 }))
  const started = await Promise.all(nodes.map(startMovingNode))
  const limits = { hedgeMinMs: 20, breakerOpenMs: 500 }
  const stage = await startEvmStage({ nodes: started.map(({ url }) => url), tipCacheMs: 1_000, limits })
  const report: MovingReport = { wrong: [], answered: 0, errors: 0, blocks: 0 }
  let [told, asked] = [FIRST, 0]

  const reach = async (node: MovingNode, height: number, ms: number): Promise<void> => {
    await pause(ms)
    while (node.fault === 'stuck') await pause(10)
    node.height = Math.max(node.height, height)
  }
  const move = (): void => {
    report.blocks += 1
    for (const node of nodes) void reach(node, FIRST + report.blocks, random() < 0.1 ? 300 : random() * 40)
  }
  /** One node at a time: where all fail there is nothing to tell. */
  const fail = async (): Promise<void> => {
    const node = nodes[Math.floor(random() * nodes.length)] as MovingNode
    if (nodes.some(({ fault, delayMs }) => fault !== 'none' || delayMs > 3)) return
    const faults = ['dead', 'busy', 'page', 'stuck', 'slow'] as const
    const fault = faults[Math.floor(random() * faults.length)]
    if (fault === 'slow') node.delayMs = 120
    else node.fault = fault ?? 'none'
    await pause(random() * 250)
    Object.assign(node, { fault: 'none', delayMs: 3 })
  }
  const check = (question: Question, answer: { result?: unknown; error?: unknown }): void => {
    report[answer.error === undefined ? 'answered' : 'errors'] += 1
    if (answer.error !== undefined) return
    const fault = question.fault(answer.result)
    if (fault) report.wrong.push(`${question.method} ${JSON.stringify(question.params)}: ${fault}`)
    told = Math.max(told, question.shows?.(answer.result) || 0)
  }
  const lane = async (isBatch: boolean): Promise<void> => {
    while (asked < questions) {
      asked += 1
      if (asked % 20 === 0) move()
      if (asked % 60 === 0) void fail()
      const own = Array.from({ length: isBatch ? 1 + Math.floor(random() * 4) : 1 }, () => questionOf(random, told))
      const calls = own.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }))
      const said = JSON.parse((await stage.post(isBatch ? calls : (calls[0] as object))).text)
      for (const [id, question] of own.entries()) check(question, Array.isArray(said) ? said[id] : said)
    }
  }
  await Promise.all(Array.from({ length: 8 }, (_, index) => lane(index % 2 === 1)))
  await stage.close()
  for (const { server } of started) {
    server.close()
    server.closeAllConnections()
  }
  return report
}
