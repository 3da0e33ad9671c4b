import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../support/programs/free-port.ts'

// Minutes on a container engine with the images at hand: `npm run test:compose`, and no part of the suite.
const wanted = process.env['FIRN_TEST_COMPOSE']
const services = wanted === 'without-grafana' ? ['indexer', 'prometheus', 'balancer'] : []
const STAFF = ['api-1', 'api-2', 'indexer', 'postgres', 'valkey', 'prometheus', 'balancer']
const LONG = 600_000
const run = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))
const TIP = 371

describe.skipIf(wanted === undefined)('the composition on a container engine', () => {
  let base = ''
  let environment = process.env
  const compose = async (...words: string[]): Promise<string> => {
    const files = ['-f', 'docker/compose.yaml', '-f', 'test/docker/composition.yaml']
    const settings = { cwd: root, env: environment, maxBuffer: 1 << 26 }
    return (await run('docker', ['compose', '-p', 'firn-test', ...files, ...words], settings)).stdout
  }
  const healthOf = async (service: string): Promise<string> => {
    const id = (await compose('ps', '-aq', service)).trim()
    return (await run('docker', ['inspect', '-f', '{{.State.Health.Status}}', id])).stdout.trim()
  }
  const healthy = (service: string) =>
    expect.poll(() => healthOf(service), { timeout: 120_000, interval: 1_000 }).toBe('healthy')
  const inside = (service: string, command: string): Promise<string> =>
    compose('exec', '-T', service, 'sh', '-c', command)

  beforeAll(async () => {
    const port = await freePort()
    environment = { ...process.env, FIRN_PORT: String(port), GRAFANA_PORT: String(await freePort()) }
    base = `http://127.0.0.1:${port}`
  })
  afterAll(() => (wanted === undefined ? undefined : compose('down', '-v', '--remove-orphans', '-t', '1')), LONG)

  it('comes up whole, with secrets that each service finds and no other reads', { timeout: LONG }, async () => {
    await compose('up', '-d', 'chains', ...(process.env['FIRN_IMAGE'] === undefined ? ['--build'] : ['--no-build']))
    await expect.poll(() => compose('logs', 'chains'), { timeout: 120_000, interval: 1_000 }).toContain('Firn ready at')
    await compose('up', '-d', '--no-build', ...services)
    for (const service of STAFF) await healthy(service)
    expect((await inside('api-1', 'id -u; touch /app/x 2>&1 || true')).trim()).toMatch(
      /^1000\n.*Read-only file system$/,
    )
    expect(await inside('api-1', 'cat /run/secrets/* 2>&1 || true')).toMatch(
      /^postgres:\/\/firn:[0-9a-f]{48}@postgres.*(\n?.*Permission denied){2}\s*$/,
    )
  })

  it('indexes to the tip and answers behind the balancer, which keeps metrics inside', { timeout: LONG }, async () => {
    const blocks = `${base}/v1/networks/testnet/blockchains/p-chain/blocks/${TIP}`
    await expect.poll(async () => (await fetch(blocks)).status, { timeout: 120_000, interval: 1_000 }).toBe(200)
    expect((await fetch(`${base}/v1/health-check`)).status).toBe(200)
    expect((await fetch(`${base}/metrics`)).status).toBe(404)
    expect(await (await fetch(base)).text()).toContain('<!doctype html>')
  })

  it('is seen by Prometheus, every process of it', { timeout: LONG }, async () => {
    const question = "wget -qO- 'http://127.0.0.1:9090/api/v1/query?query=up'"
    const values = async () =>
      [...(await inside('prometheus', question)).matchAll(/"(\d)"\]/g)].map(([, value]) => value)
    await expect.poll(values, { timeout: 60_000, interval: 1_000 }).toEqual(['1', '1', '1'])
  })

  it('drops no answer while one process after the other is restarted', { timeout: LONG }, async () => {
    const body = JSON.stringify({
      data: [
        {
          namespace: 'avax',
          references: ['8AJTpRj3SAqv1e80Mtl9em08LhvKEbkl', 'Sj7NVE3jXTbJvwFAiu7OEUo_8g8ctXMG'],
          addressDetails: [{ id: 'one', addresses: ['fuji1m4hzf29faglptgsn0ha30jvyn8jpuehkr3drn7'] }],
        },
      ],
      currency: 'usd',
    })
    const questions = [
      { path: '/v1/balance/get-balances', body, whole: /^(data: .*"balances".*\n\n(:.*\n\n)?){2}$/ },
      { path: '/ext/info', body: '{"jsonrpc":"2.0","id":1,"method":"info.getNetworkID"}', whole: /"networkID":"5"/ },
    ]
    let over = false
    let served = 0
    const failures: unknown[] = []
    const client = async ({ path, body, whole }: (typeof questions)[number]): Promise<void> => {
      while (!over) {
        const text = await fetch(base + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
          .then((response) => response.text())
          .catch((error: Error) => `${error.message}: ${String(error.cause)}`)
        if (whole.test(text)) served += 1
        else failures.push([path, text.slice(0, 300)])
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
    const clients = [0, 1, 2, 3, 4, 5].map((at) => client(questions[at % 2] as (typeof questions)[number]))
    for (const service of ['api-1', 'api-2', 'api-1', 'api-2']) {
      await compose('restart', service)
      await healthy(service)
    }
    over = true
    await Promise.all(clients)
    expect(failures).toEqual([])
    expect(served).toBeGreaterThan(1_000)
  })
})
