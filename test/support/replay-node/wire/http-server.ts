import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Answer, Incoming } from './answer.ts'

export interface HttpHandlers {
  nodeID: string
  /** Headers every computed answer gets beside its own. */
  common(request: Incoming): [string, string][]
  /** Undefined cuts the connection. */
  answer(request: Incoming): Promise<Answer | undefined>
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  aborted(): void
}

const MAX_HEADER_BYTES = 1 << 20
/** Go buffers this much before it gives up on a Content-Length. */
const CHUNKED_ABOVE = 2048

const RAW_TEXT = 'Content-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n'

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

/** Splits and decodes a request target; undefined when the path is not decodable. */
export function parseTarget(target: string): { path: string; query: URLSearchParams } | undefined {
  const mark = target.indexOf('?')
  const path = mark < 0 ? target : target.slice(0, mark)
  try {
    return { path: decodeURIComponent(path), query: new URLSearchParams(mark < 0 ? '' : target.slice(mark + 1)) }
  } catch {
    return undefined
  }
}

/** First values of the headers by lower-case name, as Go's `Header.Get` sees them. */
export function firstHeaders(request: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {}
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    const name = (request.rawHeaders[index] ?? '').toLowerCase()
    headers[name] ??= request.rawHeaders[index + 1] ?? ''
  }
  return headers
}

function wireHeaders(answer: Answer, common: [string, string][], nodeID: string): [string, string][] {
  const length: [string, string] = ['Content-Length', String(Buffer.byteLength(answer.body))]
  // A preflight answer brings its own CORS headers.
  const own = answer.headers.some(([name]) => name === 'Vary') ? [...answer.headers] : [...answer.headers, ...common]
  own.push(['Node-Id', nodeID])
  if (answer.ownLength === true) own.push(length)
  const headers = own
    .map((header, index) => ({ header, index }))
    .sort((a, b) => (a.header[0] < b.header[0] ? -1 : a.header[0] > b.header[0] ? 1 : a.index - b.index))
    .map(({ header }) => header)
  headers.push(['Date', new Date().toUTCString()])
  if (answer.ownLength !== true) {
    headers.push(Buffer.byteLength(answer.body) > CHUNKED_ABOVE ? ['Transfer-Encoding', 'chunked'] : length)
  }
  if (answer.close === true) headers.push(['Connection', 'close'])
  return headers
}

function send(response: ServerResponse, answer: Answer, headers: [string, string][]): void {
  response.sendDate = false
  // Go names the connection only when it closes it; without this Node would add its own line.
  response.removeHeader('connection')
  response.writeHead(answer.status, headers.flat())
  response.end(answer.body)
}

async function handle(handlers: HttpHandlers, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const target = request.url ?? '/'
  const parsed = parseTarget(target)
  const headers = firstHeaders(request)
  if (parsed === undefined || (headers['host'] === undefined && request.httpVersion === '1.1')) {
    const reason = parsed === undefined ? '' : ': missing required Host header'
    request.socket.end(`HTTP/1.1 400 Bad Request\r\n${RAW_TEXT}400 Bad Request${reason}`)
    return
  }
  response.on('close', () => {
    if (!response.writableFinished) handlers.aborted()
  })
  const incoming: Incoming = {
    method: request.method ?? 'GET',
    target,
    path: parsed.path,
    query: parsed.query,
    headers,
    body: await readBody(request),
    chunked: headers['content-length'] === undefined,
  }
  const answer = await handlers.answer(incoming)
  if (answer === undefined) request.socket.destroy()
  else if (answer.verbatim === true) send(response, answer, answer.headers)
  else {
    const close = answer.close === true || headers['connection']?.toLowerCase() === 'close'
    send(response, answer, wireHeaders({ ...answer, close }, handlers.common(incoming), handlers.nodeID))
  }
}

/** An HTTP/1.1 server whose answers look like those of Go's, down to the order of headers. */
export function createHttpServer(handlers: HttpHandlers): Server {
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, requireHostHeader: false, keepAliveTimeout: 120_000 })
  server.on('request', (request, response) => {
    handle(handlers, request, response).catch((error: unknown) => {
      // A client that left while its body was read is no fault of the server.
      if (request.socket.destroyed || response.writableEnded) return
      response.writeHead(500, { 'Content-Type': 'text/plain' })
      response.end(`replay node: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
    })
  })
  server.on('upgrade', handlers.upgrade)
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (!socket.writable) return
    const status = error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request'
    socket.end(`HTTP/1.1 ${status}\r\n${RAW_TEXT}${status}`)
  })
  return server
}
