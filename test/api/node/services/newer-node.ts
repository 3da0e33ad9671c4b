import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A node in front of another one, without some of its methods. */
export interface NewerNode {
  url: string
  /** Methods it does not have: `platform.getBalance`, `eth_getActivePrecompilesAt`. May be changed. */
  dropped: Set<string>
  stop(): Promise<void>
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString()
}

const refusal = (id: unknown, method: string): string => {
  const [service = '', name = ''] = method.split('.')
  if (name === '') {
    const message = `the method ${method} does not exist/is not available`
    return JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message } })
  }
  const message = `rpc: can't find method "${service}.${name.charAt(0).toUpperCase()}${name.slice(1)}"`
  return JSON.stringify({ jsonrpc: '2.0', error: { code: -32000, message, data: null }, id })
}

export async function startNewerNode(older: string, dropped: readonly string[]): Promise<NewerNode> {
  const missing = new Set(dropped)
  const server = createServer((request, response) => {
    const answering = bodyOf(request).then(async (body) => {
      const call = /^\s*\{/.test(body) ? (JSON.parse(body) as { id?: unknown; method?: string }) : {}
      if (call.method !== undefined && missing.has(call.method)) {
        response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' })
        response.end(`${refusal(call.id, call.method)}\n`)
        return
      }
      const { method = 'GET', url = '/' } = request
      const headers = { 'content-type': request.headers['content-type'] ?? 'application/json' }
      const answer = await fetch(older + url, { method, headers, ...(method === 'POST' ? { body } : {}) })
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' })
      response.end(Buffer.from(await answer.arrayBuffer()))
    })
    // The older node is gone: so is this answer.
    answering.catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    dropped: missing,
    stop: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
