import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { createStage } from '../support/stage.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const stage = createStage()
const children: ChildProcess[] = []
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  await stage.clear()
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** The real process over one EVM chain; ready when this resolves. */
async function start(port: number, upstream: string, env: Record<string, string> = {}): Promise<ChildProcess> {
  const native = { name: 'Ether', symbol: 'ETH', decimals: 18 }
  const child = spawn(process.execPath, ['--import', 'tsx', 'src/main.ts'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      FIRN_DATA_DIR: stage.folder(),
      FIRN_HTTP_PORT: String(port),
      FIRN_HTTP_SHUTDOWN_DELAY_MS: '300ms',
      FIRN_HTTP_SHUTDOWN_GRACE_MS: '10s',
      FIRN_LOG_LEVEL: 'fatal',
      FIRN_CHAINS_CATALOGUE: 'false',
      FIRN_CHAINS_EVM: JSON.stringify({
        1: { name: 'One', upstreams: [{ url: upstream }], native, blockTimeMs: 1_000 },
      }),
      FIRN_MARKET_PRICES_PROVIDER: 'none',
      FIRN_MARKET_DEFAULT_TOKEN_LISTS: '[]',
      ...env,
    },
  })
  children.push(child)
  const [line] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer]
  expect(line.toString()).toContain('Firn ready')
  return child
}

/** One balance stream on a connection of its own; resolves to the whole text, rejects when it ends early. */
const stream = (port: number, account: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const address = `0x${account.toString(16).padStart(40, '0')}`
    const body = JSON.stringify({
      currency: 'usd',
      data: [{ namespace: 'eip155', references: ['1'], addresses: [address] }],
    })
    const sent = request(
      {
        port,
        method: 'POST',
        path: '/v1/balance/get-balances',
        agent: false,
        headers: { 'content-type': 'application/json' },
      },
      (answer) => {
        let text = ''
        answer.on('data', (chunk: Buffer) => {
          text += chunk
        })
        answer.once('close', () => {
          if (answer.complete && answer.statusCode === 200 && text.includes(address)) resolve(text)
          else reject(new Error(`status ${answer.statusCode}, complete ${answer.complete}: ${text}`))
        })
      },
    )
    sent.once('error', reject)
    sent.end(body)
  })

describe('a rolling restart', { timeout: 100_000 }, () => {
  it('drops no stream: who is refused a connection goes to the other process', async () => {
    const { url } = await stage.upstream({ faults: { latencyMs: 400 } })
    const ports = [await freePort(), await freePort()]
    const processes = await Promise.all(ports.map((port) => start(port, url)))
    let account = 1
    let running = true
    const counts = { finished: 0, refused: 0 }
    const client = async (first: number): Promise<void> => {
      for (let turn = first; running; turn += 1) {
        account += 1
        const mine = account
        await stream(ports[turn % 2] as number, mine)
          .catch((error: NodeJS.ErrnoException) => {
            // Anything but a refused connection is a stream that was dropped.
            if (error.code !== 'ECONNREFUSED') throw error
            counts.refused += 1
            return stream(ports[(turn + 1) % 2] as number, mine)
          })
          .then(() => {
            counts.finished += 1
          })
      }
    }
    const clients = Promise.all(Array.from({ length: 12 }, (_, at) => client(at)))
    clients.catch(() => undefined)
    for (const at of [0, 1]) {
      await new Promise((resolve) => setTimeout(resolve, 700))
      const child = processes[at] as ChildProcess
      child.kill('SIGTERM')
      const [code] = (await once(child, 'exit')) as [number]
      expect(code).toBe(0)
      // The second one stays away: the first, restarted, takes everything.
      if (at === 0) processes[at] = await start(ports[at] as number, url)
      else await new Promise((resolve) => setTimeout(resolve, 700))
    }
    running = false
    await clients
    expect(counts.finished).toBeGreaterThan(20)
    expect(counts.refused).toBeGreaterThan(0)
  })

  it('says it is not ready before it refuses anybody; a second signal kills', async () => {
    const { url } = await stage.upstream({ faults: { hang: 'headers' } })
    const port = await freePort()
    const child = await start(port, url, { FIRN_HTTP_SHUTDOWN_DELAY_MS: '3s', FIRN_HTTP_SHUTDOWN_GRACE_MS: '60s' })
    const check = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status
    const hanging = stream(port, 1).catch((error: Error) => error)
    await expect.poll(() => check('/v1/live-check')).toBe(200)
    child.kill('SIGTERM')
    await expect.poll(() => check('/v1/live-check')).toBe(503)
    // Who comes while the balancer has not noticed yet is served, on a connection that ends with the answer.
    const late = await fetch(`http://127.0.0.1:${port}/v1/balance/get-supported-chains`)
    expect([late.status, late.headers.get('connection')]).toEqual([200, 'close'])
    child.kill('SIGTERM')
    const [code] = (await once(child, 'exit')) as [number]
    expect(code).toBe(1)
    expect(await hanging).toBeInstanceOf(Error)
  })
})
