import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { freePort } from '../programs/free-port.ts'
import { createAnswerer, type PlannedAnswer } from './fault-answers.ts'

/** One JSON-RPC entry as the server saw it, or one plain request (then `method` is the HTTP method). */
export interface SeenCall {
  path: string
  method: string
  params: unknown
  /** Number of the HTTP request, from 1. */
  request: number
}

/** What goes wrong with a request. Members combine (latency + status …); an empty object is a healthy server. */
export interface Faults {
  /** Wait before the answer begins. */
  latencyMs?: number
  /** Wait for this before the answer begins. */
  held?: Promise<unknown>
  /** Cut the connection without an answer. For a refused connection use `down()`. */
  dead?: boolean
  /** Never answer, or send the headers and half the body and then nothing. */
  hang?: 'headers' | 'body'
  /** Promise the whole body, send half, cut the connection. */
  truncate?: boolean
  /** Send valid JSON with this many filler bytes inside `result`. */
  hugeBytes?: number
  /** Send the answer in chunks, without saying how long it will be. */
  chunked?: boolean
  /** Send this many zero bytes compressed with gzip, so few on the wire. */
  bombBytes?: number
  /** Status 200 with an HTML page. */
  html?: boolean
  /** Status 429; the header is left out when 0, a string is sent as it is (HTTP dates). */
  rateLimited?: { retryAfterSeconds: number | string }
  /** This status with a short text body. */
  status?: number
  /** A JSON-RPC error for every entry (or for the methods listed). */
  rpcError?: { code: number; message: string; data?: unknown; methods?: readonly string[] }
  /** Refuse JSON-RPC arrays: as an HTTP status, one error object, or an empty array. */
  refuseBatches?: 'status' | 'object' | 'empty'
  /** Blocks behind `height` in `eth_blockNumber`. */
  lag?: number
  /** Compress good answers when the caller accepts gzip. */
  gzip?: boolean
}

export type FaultPlan = Faults | ((request: { path: string; body: string; number: number }) => Faults)

export interface FaultServerOptions {
  /** Result of one JSON-RPC entry; undefined = the default: `eth_blockNumber` gives the height, else `{echo: params}`. */
  answer?: (call: SeenCall) => unknown
  /** Full control over the answer to any request; undefined = go on with JSON-RPC, or `{path}` for other methods. */
  handle?: (
    request: IncomingMessage,
    body: Buffer,
  ) => { status?: number; headers?: Record<string, string>; body: string | Buffer } | undefined
  faults?: FaultPlan
  height?: bigint
}

export interface FaultServerStats {
  /** HTTP requests fully received. */
  requests: number
  /** JSON-RPC entries (counted one by one inside batches) and plain requests that were answered. */
  calls: number
  batches: number
  /** Connections ever accepted since the last reset. */
  connections: number
  /** Connections open now. */
  open: number
  /** Requests whose connection the client closed before the answer was complete. */
  aborts: number
  /** Requests being answered now, and the most at once. */
  inFlight: number
  maxInFlight: number
  /** Entries in the order they came (the first 10,000). */
  seen: SeenCall[]
}

export interface FaultServer {
  /** `http://127.0.0.1:PORT` */
  readonly url: string
  /** `127.0.0.1:PORT` */
  readonly host: string
  readonly stats: FaultServerStats
  /** Tip shown by `eth_blockNumber`; set it to move the chain. */
  height: bigint
  /** Replaces all faults; no argument = healthy. */
  set(faults?: FaultPlan): void
  /** Sets all counts to zero, except the connections and requests open now. */
  reset(): void
  /** Stops listening and cuts every connection: new connections are refused. `up` listens on the same port again. */
  down(): Promise<void>
  up(): Promise<void>
  close(): Promise<void>
}

const emptyStats = (open: number, inFlight: number): FaultServerStats => ({
  requests: 0,
  calls: 0,
  batches: 0,
  connections: 0,
  open,
  aborts: 0,
  inFlight,
  maxInFlight: inFlight,
  seen: [],
})

const readBody = async (request: IncomingMessage): Promise<Buffer | undefined> => {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer)
    return Buffer.concat(chunks)
  } catch {
    return undefined
  }
}

const send = (request: IncomingMessage, response: ServerResponse, answer: PlannedAnswer, faults: Faults): void => {
  const zip = faults.gzip === true && /gzip/.test(String(request.headers['accept-encoding'] ?? ''))
  const bytes = zip ? gzipSync(answer.body) : Buffer.from(answer.body)
  response.writeHead(answer.status, {
    'content-type': 'application/json',
    ...answer.headers,
    ...(zip ? { 'content-encoding': 'gzip' } : {}),
    ...(faults.chunked ? {} : { 'content-length': String(bytes.length) }),
  })
  if (faults.hang !== 'body' && !faults.truncate) {
    response.end(bytes)
    return
  }
  response.write(bytes.subarray(0, bytes.length >> 1), () => {
    if (faults.truncate) request.socket.destroy()
  })
}

const listen = (http: Server, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    http.once('error', reject)
    http.listen(port, '127.0.0.1', () => {
      http.off('error', reject)
      resolve()
    })
  })

/** On a port that stays its own while it is `down`: nobody else answers there meanwhile. */
const listenSomewhere = async (http: Server): Promise<number> => {
  for (;;) {
    const port = await freePort()
    try {
      await listen(http, port)
      return port
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    }
  }
}

/** Serves requests; every wait is registered in `timers` so that `down` can end it. */
const createHandler = (
  answer: (request: IncomingMessage, body: Buffer, faults: Faults) => PlannedAnswer,
  faultsFor: (request: { path: string; body: string; number: number }) => Faults,
  state: { stats(): FaultServerStats; cut: WeakSet<Socket>; timers: Set<NodeJS.Timeout> },
) => {
  const respond = (request: IncomingMessage, response: ServerResponse, body: Buffer, faults: Faults): void => {
    if (faults.dead) request.socket.destroy()
    else if (faults.hang !== 'headers') send(request, response, answer(request, body, faults), faults)
  }
  const watch = (request: IncomingMessage, response: ServerResponse): void => {
    const stats = state.stats()
    stats.inFlight += 1
    stats.maxInFlight = Math.max(stats.maxInFlight, stats.inFlight)
    response.once('close', () => {
      state.stats().inFlight -= 1
      if (!response.writableFinished && !state.cut.has(request.socket)) state.stats().aborts += 1
    })
  }
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    watch(request, response)
    const body = await readBody(request)
    if (body === undefined) return
    const stats = state.stats()
    stats.requests += 1
    const path = request.url ?? '/'
    const faults = faultsFor({ path, body: body.toString('utf8'), number: stats.requests })
    if (faults.dead || faults.truncate) state.cut.add(request.socket)
    await faults.held
    if (faults.held !== undefined && response.destroyed) return
    if (faults.latencyMs === undefined) {
      respond(request, response, body, faults)
      return
    }
    const timer = setTimeout(() => {
      state.timers.delete(timer)
      if (!response.destroyed) respond(request, response, body, faults)
    }, faults.latencyMs)
    state.timers.add(timer)
  }
}

/**
 * An HTTP upstream on 127.0.0.1 that misbehaves on demand and counts what it sees.
 * Healthy, it answers JSON-RPC (single and batch) through `answer` and everything else through `handle`.
 */
export const startFaultServer = async (options: FaultServerOptions = {}): Promise<FaultServer> => {
  let stats = emptyStats(0, 0)
  let plan: FaultPlan = options.faults ?? {}
  const sockets = new Set<Socket>()
  const state = {
    stats: () => stats,
    height: () => server.height,
    cut: new WeakSet<Socket>(),
    timers: new Set<NodeJS.Timeout>(),
  }
  const handler = createHandler(
    createAnswerer(options, state),
    (request) => (typeof plan === 'function' ? plan(request) : plan),
    state,
  )
  const http = createServer({ keepAliveTimeout: 60_000 }, (request, response) => void handler(request, response))
  http.on('connection', (socket: Socket) => {
    stats.connections += 1
    stats.open += 1
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => {
      stats.open -= 1
      sockets.delete(socket)
    })
  })
  const down = async (): Promise<void> => {
    for (const timer of state.timers) clearTimeout(timer)
    state.timers.clear()
    for (const socket of sockets) {
      state.cut.add(socket)
      socket.destroy()
    }
    if (http.listening) await new Promise((resolve) => http.close(resolve))
  }
  const port = await listenSomewhere(http)
  const server: FaultServer = {
    url: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    get stats() {
      return stats
    },
    height: options.height ?? 100n,
    set: (next = {}) => {
      plan = next
    },
    reset: () => {
      stats = emptyStats(stats.open, stats.inFlight)
    },
    down,
    up: () => listen(http, port),
    close: down,
  }
  return server
}
