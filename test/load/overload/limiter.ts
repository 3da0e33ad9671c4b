import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { request } from 'undici'

export interface Limiter {
  url: string
  /** Requests that were refused. */
  refused(): number
  stop(): Promise<void>
}

const bodyOf = async (incoming: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** A provider in front of a chain: more than so many requests a second are 429, which says nothing about when to come again. */
export async function startLimiter(target: string, perSecond: number): Promise<Limiter> {
  let [room, filledAt, refused] = [perSecond, Date.now(), 0]
  const isRefused = (): boolean => {
    const now = Date.now()
    room = Math.min(perSecond, room + ((now - filledAt) / 1_000) * perSecond)
    filledAt = now
    if (room < 1) return true
    room -= 1
    return false
  }
  const server = createServer(async (incoming, outgoing) => {
    const body = await bodyOf(incoming)
    if (isRefused()) {
      refused += 1
      outgoing.writeHead(429, { 'content-type': 'text/plain' }).end('too many requests')
      return
    }
    const headers = { 'content-type': 'application/json' }
    const answer = await request(target, { method: 'POST', headers, body })
    outgoing.writeHead(answer.statusCode, headers).end(Buffer.from(await answer.body.arrayBuffer()))
  })
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    refused: () => refused,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
