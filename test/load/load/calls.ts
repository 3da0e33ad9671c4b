import { request } from 'node:http'

export interface Called {
  status: number
  text: string
  retryAfter: boolean
  ms: number
}

export interface Call {
  method: 'GET' | 'POST'
  path: string
  body?: string
}

/** Longest that anybody waits: what has not come by then hangs. */
const PATIENCE_MS = 60_000

/** One request on a connection of its own, read to its end. Rejects when the answer breaks off or never comes. */
export function call(base: string, { method, path, body }: Call): Promise<Called> {
  return new Promise((resolve, reject) => {
    const start = performance.now()
    const { hostname, port } = new URL(base)
    const asked = request(
      {
        host: hostname,
        port,
        method,
        path,
        agent: false,
        timeout: PATIENCE_MS,
        ...(body === undefined
          ? {}
          : { headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) } }),
      },
      (answer) => {
        const parts: Buffer[] = []
        answer.on('data', (part: Buffer) => parts.push(part))
        answer.on('error', reject)
        answer.on('close', () => {
          if (!answer.complete) return reject(new Error('the answer broke off'))
          resolve({
            status: answer.statusCode ?? 0,
            text: Buffer.concat(parts).toString('utf8'),
            retryAfter: answer.headers['retry-after'] !== undefined,
            ms: performance.now() - start,
          })
        })
      },
    )
    asked.on('timeout', () => asked.destroy(new Error('no answer came')))
    asked.on('error', reject)
    asked.end(body)
  })
}

const REFUSALS: readonly number[] = [429, 503]

/** Whether an answer turns away instead of answering. */
export const isRefusal = ({ status }: Called): boolean => REFUSALS.includes(status)
