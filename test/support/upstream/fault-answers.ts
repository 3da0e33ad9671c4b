import type { IncomingMessage } from 'node:http'
import { gzipSync } from 'node:zlib'
import type { FaultServerOptions, FaultServerStats, Faults, SeenCall } from './fault-server.ts'

interface RpcEntry {
  id?: unknown
  method: string
  params?: unknown
}

export interface PlannedAnswer {
  status: number
  body: string | Buffer
  headers?: Record<string, string>
}

/** JSON with bigint written as plain digits, so that tests can answer integers beyond 2^53. */
export const losslessStringify = (value: unknown): string => {
  if (typeof value === 'bigint') return value.toString()
  if (Array.isArray(value)) return `[${value.map((item) => losslessStringify(item ?? null)).join(',')}]`
  if (value !== null && typeof value === 'object')
    return `{${Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .map(([key, item]) => `${JSON.stringify(key)}:${losslessStringify(item)}`)
      .join(',')}}`
  return JSON.stringify(value ?? null)
}

const parse = (body: string): RpcEntry | RpcEntry[] | undefined => {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null ? (value as RpcEntry | RpcEntry[]) : undefined
  } catch {
    return undefined
  }
}

const brokenAnswer = (faults: Faults): PlannedAnswer | undefined => {
  if (faults.html)
    return {
      status: 200,
      body: '<!doctype html><html><body>Welcome</body></html>',
      headers: { 'content-type': 'text/html' },
    }
  if (faults.rateLimited) {
    const after = faults.rateLimited.retryAfterSeconds
    return { status: 429, body: 'slow down', headers: after === 0 ? {} : { 'retry-after': String(after) } }
  }
  if (faults.status !== undefined) return { status: faults.status, body: `status ${faults.status}` }
  if (faults.bombBytes !== undefined)
    return { status: 200, body: gzipSync(Buffer.alloc(faults.bombBytes)), headers: { 'content-encoding': 'gzip' } }
  return undefined
}

const entryError = (entry: RpcEntry, faults: Faults): string | undefined => {
  const { rpcError } = faults
  if (!rpcError || (rpcError.methods !== undefined && !rpcError.methods.includes(entry.method))) return undefined
  const { methods: _, ...error } = rpcError
  return losslessStringify(error)
}

export interface AnswererState {
  stats(): FaultServerStats
  height(): bigint
}

/** What the server would say to a request under the given faults; counts the calls it sees. */
export const createAnswerer = (options: FaultServerOptions, state: AnswererState) => {
  const note = (call: SeenCall): void => {
    const stats = state.stats()
    stats.calls += 1
    if (stats.seen.length < 10_000) stats.seen.push(call)
  }

  const answerEntry = (entry: RpcEntry, path: string, faults: Faults): string => {
    const call = { path, method: entry.method, params: entry.params, request: state.stats().requests }
    note(call)
    const head = `{"jsonrpc":"2.0","id":${JSON.stringify(entry.id ?? null)}`
    const error = entryError(entry, faults)
    if (error !== undefined) return `${head},"error":${error}}`
    if (faults.hugeBytes !== undefined) return `${head},"result":"${'x'.repeat(faults.hugeBytes)}"}`
    const tip = `0x${(state.height() - BigInt(faults.lag ?? 0)).toString(16)}`
    const own = options.answer?.(call)
    const result = own !== undefined ? own : entry.method === 'eth_blockNumber' ? tip : { echo: call.params }
    return `${head},"result":${losslessStringify(result)}}`
  }

  const answerBatch = (entries: RpcEntry[], path: string, faults: Faults): PlannedAnswer => {
    state.stats().batches += 1
    const error = '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batch requests are not supported"}}'
    if (faults.refuseBatches === 'status') return { status: 400, body: 'batch requests are not supported' }
    if (faults.refuseBatches === 'object') return { status: 200, body: error }
    if (faults.refuseBatches === 'empty') return { status: 200, body: '[]' }
    return { status: 200, body: `[${entries.map((entry) => answerEntry(entry, path, faults)).join(',')}]` }
  }

  return (request: IncomingMessage, body: Buffer, faults: Faults): PlannedAnswer => {
    const broken = brokenAnswer(faults)
    if (broken) return broken
    const path = request.url ?? '/'
    const own = options.handle?.(request, body)
    if (own) return { status: own.status ?? 200, body: own.body, headers: own.headers ?? {} }
    const entries = request.method === 'POST' ? parse(body.toString('utf8')) : undefined
    if (Array.isArray(entries)) return answerBatch(entries, path, faults)
    if (entries) return { status: 200, body: answerEntry(entries, path, faults) }
    note({ path, method: request.method ?? 'GET', params: undefined, request: state.stats().requests })
    return { status: 200, body: losslessStringify({ path }) }
  }
}
