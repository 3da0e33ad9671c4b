/**
 * What the upstream layer costs on the forward path: the same small proxy once over a bare undici Pool and once over
 * `pool.exchange`, in processes of their own, in turns. Run: node --import tsx test/load/upstream.ts
 */
import { type ChildProcess, fork } from 'node:child_process'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Pool } from 'undici'
import { createUpstreamPool, DEFAULT_LIMITS } from '../../src/upstream/index.ts'

type Forward = (
  path: string,
  headers: Record<string, string>,
  body: Buffer,
) => Promise<{ status: number; body: Buffer }>

const CONNECTIONS = 64
const ROUNDS = 7
const SIZES = [
  { name: '1KB', path: '/1000', requests: 12_000 },
  { name: '1MB', path: '/1000000', requests: 400 },
] as const

const readBody = (request: IncomingMessage): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => resolve(Buffer.concat(chunks)))
    request.on('error', reject)
  })

const announce = (server: ReturnType<typeof createServer>): void => {
  server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
  process.on('message', () => process.send?.({ cpu: process.cpuUsage() }))
}

const runStub = (): void => {
  const bodies = new Map<string, Buffer>()
  announce(
    createServer(async (request, response) => {
      await readBody(request)
      const path = request.url ?? '/'
      const body =
        bodies.get(path) ?? Buffer.from(`{"jsonrpc":"2.0","id":1,"result":"${'a'.repeat(Number(path.slice(1)))}"}`)
      bodies.set(path, body)
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
      response.end(body)
    }),
  )
}

const runProxy = (forward: Forward): void =>
  announce(
    createServer(async (request, response) => {
      const body = await readBody(request)
      const answer = await forward(request.url ?? '/', { 'content-type': 'application/json' }, body)
      response.writeHead(answer.status, { 'content-type': 'application/json', 'content-length': answer.body.length })
      response.end(answer.body)
    }),
  )

const bareForward = (url: string): Forward => {
  const pool = new Pool(url, { connections: CONNECTIONS, pipelining: 1 })
  return async (path, headers, body) => {
    const answer = await pool.request({ method: 'POST', path, headers, body })
    return { status: answer.statusCode, body: Buffer.from(await answer.body.arrayBuffer()) }
  }
}

const firnForward = (url: string): Forward => {
  const limits = { ...DEFAULT_LIMITS, maxConcurrent: CONNECTIONS, requestsPerSecond: 1e9 }
  const pool = createUpstreamPool('bench', [{ url }], limits)
  return (path, headers, body) => pool.exchange({ method: 'POST', path, headers, body })
}

const ask = <T>(child: ChildProcess, send?: object): Promise<T> =>
  new Promise((resolve) => {
    child.once('message', (message) => resolve(message as T))
    if (send) child.send(send)
  })

interface Target {
  url: string
  child: ChildProcess
  client: Pool
}

const startTarget = async (name: string, url: string): Promise<Target> => {
  const child = fork(import.meta.filename, [name, url], { execArgv: ['--import', 'tsx'] })
  const { port } = await ask<{ port: number }>(child)
  const own = `http://127.0.0.1:${port}`
  return { url: own, child, client: new Pool(own, { connections: CONNECTIONS, pipelining: 1 }) }
}

const measure = async (
  target: Target,
  path: string,
  requests: number,
): Promise<{ rate: number; cpuUs: number; p99: number }> => {
  const body = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[]}')
  const times: number[] = []
  let left = requests
  const before = await ask<{ cpu: NodeJS.CpuUsage }>(target.child, {})
  const start = performance.now()
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (left > 0) {
        left -= 1
        const begin = performance.now()
        const answer = await target.client.request({ method: 'POST', path, body })
        await answer.body.dump({ limit: 1e9 })
        times.push(performance.now() - begin)
      }
    }),
  )
  const seconds = (performance.now() - start) / 1_000
  const after = await ask<{ cpu: NodeJS.CpuUsage }>(target.child, {})
  const cpu = after.cpu.user + after.cpu.system - before.cpu.user - before.cpu.system
  times.sort((a, b) => a - b)
  return { rate: requests / seconds, cpuUs: cpu / requests, p99: times[Math.floor(times.length * 0.99)] ?? 0 }
}

const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1] ?? 0

const main = async (): Promise<void> => {
  const stub = await startTarget('stub', '')
  const [bare, firn] = [await startTarget('bare', stub.url), await startTarget('firn', stub.url)]
  for (const { name, path, requests } of SIZES) {
    for (const target of [bare, firn]) await measure(target, path, requests >> 1)
    const ratios: number[] = []
    const p99s: number[] = []
    const cpus: number[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const order = round % 2 === 0 ? [bare, firn] : [firn, bare]
      const results = new Map<Target, Awaited<ReturnType<typeof measure>>>()
      for (const target of order) results.set(target, await measure(target, path, requests))
      const [a, b] = [results.get(bare), results.get(firn)]
      if (!a || !b) continue
      console.log(
        `${name} bare ${a.rate.toFixed(0)}/s ${a.cpuUs.toFixed(0)} us, firn ${b.rate.toFixed(0)}/s ${b.cpuUs.toFixed(0)} us`,
      )
      ratios.push(b.rate / a.rate)
      p99s.push(b.p99 / a.p99)
      cpus.push(b.cpuUs / a.cpuUs)
    }
    console.log(`ratio upstream-exchange-${name}-rate ${median(ratios).toFixed(3)} goal >= 0.85`)
    console.log(`ratio upstream-exchange-${name}-cpu ${median(cpus).toFixed(3)} goal <= 1.2`)
    console.log(`ratio upstream-exchange-${name}-p99 ${median(p99s).toFixed(3)} goal <= 1.3`)
  }
  for (const { child } of [stub, bare, firn]) child.kill()
  process.exit(0)
}

const [, , role, url = ''] = process.argv
if (role === 'stub') runStub()
else if (role === 'bare') runProxy(bareForward(url))
else if (role === 'firn') runProxy(firnForward(url))
else await main()
