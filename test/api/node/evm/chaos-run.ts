import { Pool } from 'undici'
import { type FaultServer, type SeenCall, startFaultServer } from '../../../support/upstream/fault-server.ts'
import { type EvmStage, startEvmStage } from './stage.ts'

/** What came of many requests while nodes misbehaved. */
export interface ChaosReport {
  requests: number
  /** Answers that are not what the chain says at the time, with a few examples. */
  wrong: string[]
  /** Answers about a block older than one that was told before the question. */
  stale: string[]
  /** Transactions that a node was handed more than once, or that no node took. */
  doubled: string[]
  /** Requests by node. */
  asked: Record<string, number>
  p50: number
  p99: number
  seconds: number
}

export interface ChaosOptions {
  requests: number
  seed: number
  /** False: every node is healthy. */
  chaos: boolean
  /** Requests at the same time. */
  lanes?: number
}

const LAG = 10n

/** Mulberry32: small, seeded, good enough to mix requests. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** One of each block, as a node has them that leaves out what it has not got. */
const logs = (from: bigint, to: bigint): string[] =>
  to < from ? [] : Array.from({ length: Number(to - from) + 1 }, (_, at) => hex(from + BigInt(at)))

const hex = (value: bigint): string => `0x${value.toString(16)}`

/** A chain whose every answer tells the block it is about. */
interface Chain {
  height: bigint
  /** How often each node was handed each transaction. */
  handed: Map<string, Map<string, number>>
  pool: Set<string>
}

function answerOf(chain: Chain, name: string, behind: () => bigint) {
  return ({ method, params }: SeenCall): unknown => {
    const list = (params ?? []) as string[]
    const height = chain.height - behind()
    const at = (tag: string | undefined): string => (tag?.startsWith('0x') ? tag : hex(height))
    if (method === 'eth_blockNumber') return hex(height)
    if (method === 'eth_chainId') return '0xa869'
    if (method === 'eth_getBlockByNumber') return { number: at(list[0]) }
    if (method === 'eth_getBalance') return { balanceAt: at(list[1]) }
    if (method === 'eth_getTransactionReceipt') {
      const block = BigInt(`0x${(list[0] ?? '').slice(-8)}`)
      return block <= height ? { blockHash: '0x1', blockNumber: hex(block) } : null
    }
    if (method === 'eth_getLogs') {
      const { fromBlock, toBlock } = (params as [{ fromBlock: string; toBlock: string }])[0]
      const end = toBlock === 'latest' || BigInt(toBlock) > height ? height : BigInt(toBlock)
      return logs(BigInt(fromBlock), end)
    }
    if (method !== 'eth_sendRawTransaction') return { method }
    const raw = list[0] ?? ''
    const byNode = chain.handed.get(raw) ?? new Map<string, number>()
    chain.handed.set(raw, byNode)
    byNode.set(name, (byNode.get(name) ?? 0) + 1)
    chain.pool.add(raw)
    return raw
  }
}

interface Question {
  body: string
  /** What is wrong with the answer; `from` and `to` = heights at the beginning and the end of the exchange. */
  check(text: string, from: bigint, to: bigint): string | undefined
}

const call = (id: number, method: string, params: unknown[]): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })
const answered = (id: number, result: unknown): string => JSON.stringify({ jsonrpc: '2.0', id, result })

function questionOf(random: () => number, id: number, chain: Chain): Question {
  const kind = Math.floor(random() * 12)
  const past = hex(chain.height - BigInt(Math.floor(random() * 200)))
  const about =
    (read: (result: never) => string) =>
    (text: string, from: bigint, to: bigint): string | undefined => {
      const { result } = JSON.parse(text) as { result: never }
      const height = BigInt(read(result))
      return height < from || height > to ? `${text.trim()} while the tip was ${from} to ${to}` : undefined
    }
  const exactly = (result: unknown) => (text: string) =>
    text.trim() === answered(id, result) ? undefined : `${text.trim()} instead of ${answered(id, result)}`
  if (kind === 0) return { body: call(id, 'eth_blockNumber', []), check: about((result: string) => result) }
  if (kind === 1)
    return {
      body: call(id, 'eth_getBlockByNumber', ['latest', false]),
      check: about((block: { number: string }) => block.number),
    }
  if (kind <= 3)
    return {
      body: call(id, 'eth_getBalance', ['0x1', 'latest']),
      check: about((one: { balanceAt: string }) => one.balanceAt),
    }
  if (kind === 4) return { body: call(id, 'eth_getBalance', ['0x1', past]), check: exactly({ balanceAt: past }) }
  if (kind === 5) return { body: call(id, 'eth_getBlockByNumber', [past, false]), check: exactly({ number: past }) }
  if (kind === 6) {
    const block = chain.height - BigInt(Math.floor(random() * 12))
    const hash = `0x${'0'.repeat(56)}${block.toString(16).padStart(8, '0')}`
    const receipt = { blockHash: '0x1', blockNumber: hex(block) }
    return { body: call(id, 'eth_getTransactionReceipt', [hash]), check: exactly(receipt) }
  }
  if (kind === 7) {
    const raw = `0x${id.toString(16).padStart(8, '0')}`
    return { body: call(id, 'eth_sendRawTransaction', [raw]), check: exactly(raw) }
  }
  if (kind === 8) return { body: call(id, 'eth_odd', [id]), check: exactly({ method: 'eth_odd' }) }
  if (kind === 9) {
    const to = chain.height
    const range = { fromBlock: past, toBlock: hex(to) }
    return { body: call(id, 'eth_getLogs', [range]), check: exactly(logs(BigInt(past), to)) }
  }
  if (kind === 10)
    return {
      body: call(id, 'eth_getLogs', [{ fromBlock: past, toBlock: 'latest' }]),
      check: about((told: string[]) => told.at(-1) ?? '0x0'),
    }
  const parts = [
    call(id, 'eth_blockNumber', []),
    call(id + 1, 'eth_chainId', []),
    call(id + 2, 'eth_getBalance', ['0x1', past]),
  ]
  return {
    body: `[${parts.join(',')}]`,
    check: (text, from, to) => {
      const [first, second, third] = JSON.parse(text) as { result: string }[]
      const rest = `[${JSON.stringify(second)},${JSON.stringify(third)}]`
      const wanted = `[${answered(id + 1, '0xa869')},${answered(id + 2, { balanceAt: past })}]`
      if (rest !== wanted) return `${rest} instead of ${wanted}`
      return about((result: string) => result)(JSON.stringify(first), from, to)
    },
  }
}

interface Cast {
  chain: Chain
  servers: FaultServer[]
  stage: EvmStage
  close(): Promise<void>
}

/** Four nodes; with chaos the first is dead, the second lags ten blocks, the third answers HTML, the fourth is well. */
async function startCast(chaos: boolean): Promise<Cast> {
  const chain: Chain = { height: 1_000n, handed: new Map(), pool: new Set() }
  const servers = await Promise.all(
    ['dead', 'lagging', 'html', 'healthy'].map((name) =>
      startFaultServer({ answer: answerOf(chain, name, () => (chaos && name === 'lagging' ? LAG : 0n)) }),
    ),
  )
  const [dead, , html] = servers
  if (chaos) {
    await dead?.down()
    html?.set({ html: true })
  }
  const stage = await startEvmStage({ nodes: servers.map(({ url }) => url) })
  return {
    chain,
    servers,
    stage,
    close: async () => {
      await stage.close()
      await Promise.all(servers.map((server) => server.close()))
    },
  }
}

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0

/** Asks a seeded mix of questions while the chain moves on, and checks every answer against the chain. */
export async function runChaos({ requests, seed, chaos, lanes = 16 }: ChaosOptions): Promise<ChaosReport> {
  const { chain, servers, stage, close } = await startCast(chaos)
  const random = randomOf(seed)
  const client = new Pool(stage.url, { connections: lanes })
  const times: number[] = []
  const report: ChaosReport = { requests, wrong: [], stale: [], doubled: [], asked: {}, p50: 0, p99: 0, seconds: 0 }
  let told = 0n
  let next = 0
  const ask = async (number: number): Promise<void> => {
    if (number % 500 === 499) chain.height += 1n
    const question = questionOf(random, number * 10, chain)
    const [from, before] = [chain.height, told]
    const started = performance.now()
    const response = await client.request({
      method: 'POST',
      path: '/ext/bc/C/rpc',
      headers: { 'content-type': 'application/json' },
      body: question.body,
    })
    const text = await response.body.text()
    times.push(performance.now() - started)
    const wrong =
      response.statusCode === 200 ? question.check(text, from, chain.height) : `status ${response.statusCode}: ${text}`
    if (wrong) report.wrong.push(`${question.body}: ${wrong}`)
    const height = /^\{"jsonrpc":"2\.0","id":\d+,"result":"(0x[0-9a-f]{1,6})"/.exec(text)?.[1]
    if (height === undefined || !question.body.includes('eth_blockNumber')) return
    if (BigInt(height) < before) report.stale.push(`${height} after ${before}`)
    if (BigInt(height) > told) told = BigInt(height)
  }
  const lane = async (): Promise<void> => {
    while (next < requests) {
      const number = next
      next += 1
      await ask(number)
    }
  }
  const started = performance.now()
  await Promise.all(Array.from({ length: lanes }, lane))
  report.seconds = (performance.now() - started) / 1_000
  for (const [raw, byNode] of chain.handed) {
    const times = [...byNode.values()].reduce((sum, count) => sum + count, 0)
    if (times !== 1) report.doubled.push(`${raw} ${times} times`)
  }
  servers.forEach((server, index) => {
    report.asked[['dead', 'lagging', 'html', 'healthy'][index] ?? ''] = server.stats.requests
  })
  times.sort((a, b) => a - b)
  report.p50 = percentile(times, 0.5)
  report.p99 = percentile(times, 0.99)
  await client.close()
  await close()
  return report
}
