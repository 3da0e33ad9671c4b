import { Pool } from 'undici'
import { BadAnswerError, JsonRpcError, UpstreamUnavailableError } from '../../../src/errors.ts'
import { parseJson } from '../../../src/lib/json/json.ts'
import type { CallOptions, RawRequest, RawResponse, UpstreamPool } from '../../../src/upstream/types.ts'

export interface PlainPool extends UpstreamPool {
  /** HTTP exchanges made, and body bytes received. */
  readonly traffic: { exchanges: number; bytes: number }
}

interface Entry {
  method: string
  params: unknown
  resolve(value: unknown): void
  reject(error: unknown): void
}

const parse = (response: RawResponse): unknown => {
  if (response.status !== 200) throw new UpstreamUnavailableError(`status ${response.status}`)
  try {
    return parseJson(response.body.toString('utf8'))
  } catch (cause) {
    throw new BadAnswerError('no JSON', cause)
  }
}

/**
 * One server, no failover and no retries: an UpstreamPool whose traffic a test can count exactly. JSON-RPC calls made
 * in one turn of the event loop travel as one batch.
 */
export const createPlainPool = (url: string, batchItems = 1_000): PlainPool => {
  const { origin, pathname } = new URL(url)
  const base = pathname === '/' ? '' : pathname
  const client = new Pool(origin)
  const traffic = { exchanges: 0, bytes: 0 }
  let queue: Entry[] = []

  const exchange = async (request: RawRequest, options?: CallOptions): Promise<RawResponse> => {
    traffic.exchanges += 1
    try {
      const { signal } = options ?? {}
      const { statusCode, body } = await client.request({
        method: request.method,
        path: base + request.path || '/',
        headers: { 'content-type': 'application/json', ...request.headers },
        ...(request.body === undefined ? {} : { body: request.body }),
        ...(signal ? { signal } : {}),
      })
      const bytes = Buffer.from(await body.arrayBuffer())
      traffic.bytes += bytes.length
      return { status: statusCode, headers: {}, body: bytes, host: origin }
    } catch (cause) {
      throw new UpstreamUnavailableError('no answer', cause)
    }
  }

  const flush = async (entries: Entry[], options?: CallOptions): Promise<void> => {
    try {
      const body = JSON.stringify(entries.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params })))
      const answers = parse(await exchange({ method: 'POST', path: '', body }, options))
      if (!Array.isArray(answers)) throw new BadAnswerError('no batch')
      for (const [id, entry] of entries.entries()) {
        const answer = answers.find((one) => one.id === id)
        if (!answer) entry.reject(new BadAnswerError('entry without answer'))
        else if (answer.error) entry.reject(new JsonRpcError(answer.error.message, answer.error.code))
        else entry.resolve(answer.result)
      }
    } catch (error) {
      for (const entry of entries) entry.reject(error)
    }
  }

  return {
    name: 'plain',
    traffic,
    rpc: <T>(_path: string, method: string, params: unknown, options?: CallOptions) =>
      new Promise<T>((resolve, reject) => {
        if (queue.length === 0) {
          setImmediate(() => {
            const entries = queue
            queue = []
            for (let at = 0; at < entries.length; at += batchItems) {
              void flush(entries.slice(at, at + batchItems), options)
            }
          })
        }
        queue.push({ method, params, resolve: resolve as (value: unknown) => void, reject })
      }),
    async getJson<T>(path: string, options?: CallOptions) {
      const response = await exchange({ method: 'GET', path }, options)
      return response.status === 404 ? undefined : (parse(response) as T)
    },
    exchange,
    head: () => undefined,
    isAsked: () => false,
    status: () => [],
    close: () => client.close(),
  }
}
