import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { scrape, sumOf } from '../metrics/scrape.ts'
import { freePort } from '../support/programs/free-port.ts'
import { sendRaw } from '../support/server/raw-http.ts'
import { startPostgres } from '../support/store/postgres-server.ts'
import { createRollingServers, stream } from './rolling-servers.ts'

const file = fileURLToPath(new URL('../../docker/haproxy/haproxy.cfg', import.meta.url))
const missing = spawnSync('haproxy', ['-v']).error !== undefined
if (missing)
  process.stderr.write('haproxy is not here (Debian: apt-get install haproxy): its configuration is not run\n')

const HOST = [['host', 'firn']] as const
const NOTHING = Buffer.alloc(0)

const { stage, start, clear } = createRollingServers()
let balancer: ChildProcess | undefined
afterEach(async () => {
  balancer?.kill('SIGKILL')
  await clear()
})

/** HAProxy with the file of the composition; only names, ports and descriptors are those of this machine. */
async function balance(ports: readonly number[]): Promise<number> {
  const port = await freePort()
  const text = ports.reduce(
    (config, own, at) => config.replaceAll(`api-${at + 1}:8650`, `127.0.0.1:${own}`),
    readFileSync(file, 'utf8')
      .replace('bind :8650', `bind 127.0.0.1:${port}`)
      .replaceAll(/maxconn \d+/g, 'maxconn 400'),
  )
  const path = join(stage.folder(), 'haproxy.cfg')
  writeFileSync(path, text)
  balancer = spawn('haproxy', ['-W', '-db', '-f', path], { stdio: 'ignore' })
  const live = async (): Promise<number | undefined> =>
    (await fetch(`http://127.0.0.1:${port}/v1/live-check`).catch(() => undefined))?.status
  await expect.poll(live).toBe(200)
  return port
}

const STREAM = { route: '/v1/balance/get-balances', status: '200' }
const LOOK = { route: '/v1/live-check' }
/** How many requests a process has answered, as its metrics say. */
const answered = async (port: number, labels: Record<string, string>): Promise<number> =>
  sumOf(await scrape(`http://127.0.0.1:${port}`), 'firn_http_seconds_count', labels)

describe.skipIf(missing)('HAProxy as in the composition', () => {
  it('takes its configuration', () => {
    const { status, stderr } = spawnSync('haproxy', ['-c', '-f', file], { encoding: 'utf8' })
    expect({ status, stderr }).toMatchObject({ status: 0 })
  })

  it('tells whose request it is by itself, and keeps metrics inside', async () => {
    const { url } = await stage.upstream()
    const plans = { default: { computeUnitsPerMinute: 1_000, computeUnitsPerDay: 60 } }
    const ports = [await freePort()]
    await start(ports[0] as number, url, { FIRN_HTTP_TRUST_PROXY: 'true', FIRN_DATA_PLANS: JSON.stringify(plans) })
    const port = await balance(ports)
    const blocks = async (claim: string) => {
      const headers = { 'x-forwarded-for': claim, forwarded: `for=${claim}` }
      return (await fetch(`http://127.0.0.1:${port}/v1/blocks`, { headers })).status
    }
    for (const claim of ['192.0.2.1', '192.0.2.2', '192.0.2.3, 192.0.2.4']) expect(await blocks(claim)).toBe(503)
    expect(await blocks('192.0.2.5')).toBe(429)
    expect((await fetch(`http://127.0.0.1:${ports[0]}/metrics`)).status).toBe(200)
    const written = ['', '?', '/', ';a', '%3Fa', '#a'].map((end) => `/metrics${end}`)
    for (const target of [...written, '//metrics', '/./metrics', '/%6detrics', '/Metrics', 'http://firn/metrics']) {
      const reply = await sendRaw(port, { method: 'GET', target, headers: HOST, body: NOTHING })
      expect([target, reply.status]).toEqual([target, expect.toBeOneOf([400, 404])])
      expect(reply.body.toString()).not.toContain('firn_')
    }
  })

  it('drops no stream while both processes are restarted, one after the other', async () => {
    const { url } = await stage.upstream({ faults: { latencyMs: 400 } })
    const ports = [await freePort(), await freePort()]
    // As in the composition: long enough for the balancer to see that a process is about to go.
    const env = { FIRN_HTTP_SHUTDOWN_DELAY_MS: '5s' }
    const processes = await Promise.all(ports.map((port) => start(port, url, env)))
    const port = await balance(ports)
    let account = 1
    let running = true
    let finished = 0
    const client = async (): Promise<void> => {
      while (running) {
        account += 1
        await stream(port, account)
        finished += 1
      }
    }
    const clients = Promise.all(Array.from({ length: 12 }, client))
    clients.catch(() => undefined)
    for (const at of [0, 1]) {
      const child = processes[at] as ChildProcess
      child.kill('SIGTERM')
      const [code] = (await once(child, 'exit')) as [number]
      expect(code).toBe(0)
      await start(ports[at] as number, url, env)
      // The balancer knows that it is back once it sends it clients again.
      await expect.poll(() => answered(ports[at] as number, STREAM)).toBeGreaterThan(0)
    }
    running = false
    await clients
    expect(finished).toBeGreaterThan(50)
  })

  it('asks those that are not ready where nobody is: without the database balances are read all the same', async () => {
    const { url } = await stage.upstream()
    const database = await startPostgres()
    onTestFinished(() => database.stop().catch(() => undefined))
    const ports = [await freePort(), await freePort()]
    const env = {
      DATABASE_URL: await database.create('away'),
      FIRN_MODE: 'api',
      FIRN_INDEX_ENABLED: 'true',
      FIRN_INDEX_STREAMS: 'eip155:1',
    }
    const processes = []
    for (const port of ports) processes.push(await start(port, url, env))
    const port = await balance(ports)
    await database.stop()
    const live = async (at: number) => (await fetch(`http://127.0.0.1:${at}/v1/live-check`)).status
    for (const own of ports) await expect.poll(() => live(own)).toBe(503)
    // The balancer knows it after two looks at each.
    const refusals = { ...LOOK, status: '503' }
    const before = await Promise.all(ports.map((own) => answered(own, refusals)))
    for (const [at, own] of ports.entries())
      await expect.poll(() => answered(own, refusals), { interval: 1_000 }).toBeGreaterThan((before[at] ?? 0) + 2)
    for (let account = 1; account <= 6; account += 1)
      expect(await stream(port, account)).toContain('data: {"caip2Id":"eip155:1"')
    // One that is not there is not asked, once the balancer has seen its connections end.
    const [first] = processes as [ChildProcess]
    first.kill('SIGKILL')
    await once(first, 'exit')
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    for (let account = 7; account <= 12; account += 1)
      expect(await stream(port, account)).toContain('data: {"caip2Id":"eip155:1"')
  })
})
