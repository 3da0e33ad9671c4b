import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A span as OTLP has it in JSON. */
export interface SentSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: { key: string; value: Record<string, unknown> }[]
  status: { code?: number }
}

export interface SentBatch {
  url: string
  method: string
  headers: IncomingHttpHeaders
  text: string
  body: {
    resourceSpans: {
      resource: { attributes: SentSpan['attributes'] }
      scopeSpans: { scope: { name: string; version: string }; spans: SentSpan[] }[]
    }[]
  }
}

interface CollectorAnswer {
  status: number
  headers?: Record<string, string>
  body?: string
}

/** A collector on loopback that keeps what it takes; `answer` may refuse, or be undefined to never answer. */
export async function startCollector(
  answer: (number: number) => CollectorAnswer | undefined = () => ({ status: 200 }),
) {
  const batches: SentBatch[] = []
  const tries: number[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      tries.push(performance.now())
      const planned = answer(tries.length)
      if (!planned) return
      const text = Buffer.concat(chunks).toString()
      const { url = '', method = '', headers } = request
      if (planned.status === 200) batches.push({ url, method, headers, text, body: JSON.parse(text) })
      response.writeHead(planned.status, { 'content-type': 'application/json', ...planned.headers })
      response.end(planned.body ?? '{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    batches,
    /** Times of all requests, taken or not. */
    tries,
    spans: (): SentSpan[] =>
      batches.flatMap(({ body }) => body.resourceSpans.flatMap((one) => one.scopeSpans.flatMap(({ spans }) => spans))),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Attributes by name, values without their types. */
export const attributesOf = (attributes: SentSpan['attributes']): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
