import { connect, type Socket } from 'node:net'

export interface LoadResult {
  requestsPerSecond: number
  /** Milliseconds. */
  p50: number
  p99: number
}

const HEAD_END = Buffer.from('\r\n\r\n')
/** Ends an answer whose length was not known when it began. */
const LAST_CHUNK = Buffer.from('0\r\n\r\n')

/** One keep-alive connection that asks again as soon as it is answered. */
function runConnection(port: number, request: Buffer, until: number, latencies: number[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect(port, '127.0.0.1')
    socket.setNoDelay(true)
    let started = 0
    let missing = -1
    let head: Buffer | undefined
    const send = (): void => {
      started = performance.now()
      missing = -1
      head = undefined
      socket.write(request)
    }
    const answered = (): void => {
      latencies.push(performance.now() - started)
      if (performance.now() < until) send()
      else socket.end(() => resolve())
    }
    socket.on('connect', send)
    socket.on('error', reject)
    socket.on('data', (part: Buffer) => {
      if (missing >= 0) missing -= part.length
      else {
        head = head ? Buffer.concat([head, part]) : part
        const end = head.indexOf(HEAD_END)
        if (end < 0) return
        const text = head.toString('latin1', 0, end)
        if (!text.startsWith('HTTP/1.1 200')) reject(new Error(text))
        const length = /content-length: (\d+)/i.exec(text)?.[1]
        if (length === undefined) {
          if (head.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK)) answered()
          return
        }
        missing = Number(length) - (head.length - end - HEAD_END.length)
      }
      if (missing === 0) answered()
    })
  })
}

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0

/** Closed loop: `connections` clients, each with one request at a time, for `ms` milliseconds. */
export async function runLoad(
  port: number,
  body: Buffer,
  connections: number,
  ms: number,
  path = '/ext/bc/C/rpc',
): Promise<LoadResult> {
  const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
  const request = Buffer.concat([Buffer.from(head), body])
  const latencies: number[] = []
  const started = performance.now()
  await Promise.all(Array.from({ length: connections }, () => runConnection(port, request, started + ms, latencies)))
  const seconds = (performance.now() - started) / 1_000
  const sorted = latencies.sort((a, b) => a - b)
  return {
    requestsPerSecond: latencies.length / seconds,
    p50: quantile(sorted, 0.5),
    p99: quantile(sorted, 0.99),
  }
}
