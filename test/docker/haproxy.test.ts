import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { freePort } from '../support/firn-process.ts'
import { createRollingServers, stream } from '../support/rolling-servers.ts'

const file = fileURLToPath(new URL('../../docker/haproxy/haproxy.cfg', import.meta.url))
const missing = spawnSync('haproxy', ['-v']).error !== undefined
if (missing)
  process.stderr.write('haproxy is not here (Debian: apt-get install haproxy): its configuration is not run\n')

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
    (config, own, at) => config.replace(`api-${at + 1}:8650`, `127.0.0.1:${own}`),
    readFileSync(file, 'utf8')
      .replace('bind :8650', `bind 127.0.0.1:${port}`)
      .replaceAll(/maxconn \d+/g, 'maxconn 400'),
  )
  const path = join(stage.folder(), 'haproxy.cfg')
  writeFileSync(path, text)
  balancer = spawn('haproxy', ['-W', '-db', '-f', path], { stdio: 'ignore' })
  const live = async (): Promise<number | undefined> =>
    (await fetch(`http://127.0.0.1:${port}/v1/live-check`).catch(() => undefined))?.status
  await expect.poll(live, { timeout: 20_000 }).toBe(200)
  return port
}

describe.skipIf(missing)('HAProxy as in the composition', { timeout: 120_000 }, () => {
  it('takes its configuration', () => {
    const { status, stderr } = spawnSync('haproxy', ['-c', '-f', file], { encoding: 'utf8' })
    expect({ status, stderr }).toMatchObject({ status: 0 })
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
      // Until the balancer knows that it is back.
      await new Promise((resolve) => setTimeout(resolve, 3_000))
    }
    running = false
    await clients
    expect(finished).toBeGreaterThan(50)
  })
})
