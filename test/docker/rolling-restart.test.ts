import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, describe, expect, it } from 'vitest'
import { freePort } from '../support/programs/free-port.ts'
import { createRollingServers, stream } from './rolling-servers.ts'

const { stage, start, clear } = createRollingServers()
afterEach(clear)

describe('a rolling restart', () => {
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
    /** Until so many more streams are finished as there are clients. */
    const others = async (): Promise<void> => {
      const enough = counts.finished + 12
      await expect.poll(() => counts.finished).toBeGreaterThanOrEqual(enough)
    }
    for (const at of [0, 1]) {
      await others()
      const child = processes[at] as ChildProcess
      child.kill('SIGTERM')
      const [code] = (await once(child, 'exit')) as [number]
      expect(code).toBe(0)
      // The second one stays away: the first, restarted, takes everything.
      if (at === 0) processes[at] = await start(ports[at] as number, url)
      else await others()
    }
    running = false
    await clients
    expect(counts.refused).toBeGreaterThan(0)
  })

  it('says it is not ready before it refuses anybody; a second signal kills', async () => {
    const { url } = await stage.upstream({ faults: { hang: 'headers' } })
    const port = await freePort()
    const child = await start(port, url, { FIRN_HTTP_SHUTDOWN_DELAY_MS: '3s', FIRN_HTTP_SHUTDOWN_GRACE_MS: '60s' })
    const check = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status
    const hanging = stream(port, 1).catch((error: Error) => error)
    await expect.poll(() => check('/v1/live-check')).toBe(200)
    await expect.poll(() => check('/ext/health/readiness')).toBe(200)
    child.kill('SIGTERM')
    await expect.poll(() => check('/v1/live-check')).toBe(503)
    expect(await check('/ext/health/readiness')).toBe(503)
    expect(await check('/ext/health/liveness')).toBe(200)
    // Who comes while the balancer has not noticed yet is served, on a connection that ends with the answer.
    const late = await fetch(`http://127.0.0.1:${port}/v1/balance/get-supported-chains`)
    expect([late.status, late.headers.get('connection')]).toEqual([200, 'close'])
    const insist = () => {
      child.kill('SIGTERM')
      return child.exitCode
    }
    await expect.poll(insist).toBe(1)
    expect(await hanging).toBeInstanceOf(Error)
  })

  it('lets nobody take a stream that was cut for a whole one, also one that began while it drained', async () => {
    const { url } = await stage.upstream({ faults: { hang: 'headers' } })
    const port = await freePort()
    const child = await start(port, url, { FIRN_HTTP_SHUTDOWN_DELAY_MS: '60s' })
    const address = `0x${'7'.repeat(40)}`
    const ask = (headers: Record<string, string> = {}) =>
      fetch(`http://127.0.0.1:${port}/v1/balance/get-balances`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({
          currency: 'usd',
          data: [{ namespace: 'eip155', references: ['1'], addresses: [address] }],
        }),
      })
    const before = await ask()
    child.kill('SIGTERM')
    await expect.poll(async () => (await fetch(`http://127.0.0.1:${port}/v1/live-check`)).status).toBe(503)
    const late = await ask()
    const texts = [before, late].map((answer) => answer.text().catch((error: Error) => error))
    child.kill('SIGKILL')
    for (const text of await Promise.all(texts)) expect(text).toBeInstanceOf(Error)
    // The connection ends with the answer all the same.
    expect([late.headers.get('connection'), late.headers.get('keep-alive')]).toEqual([null, 'timeout=0'])
  })

  it('drains once for one press of Ctrl-C, which npm hands on besides, and when the terminal is closed', async () => {
    const { url, stats } = await stage.upstream({ faults: { latencyMs: 400 } })
    for (const signals of [['SIGINT', 'SIGTERM'], ['SIGHUP']] as const) {
      const port = await freePort()
      const child = await start(port, url)
      const open = stream(port, signals.length)
      const address = signals.length.toString(16).padStart(40, '0')
      await expect.poll(() => stats.seen.some(({ params }) => JSON.stringify(params).includes(address))).toBe(true)
      const ended = once(child, 'exit')
      for (const signal of signals) child.kill(signal)
      expect(await ended).toEqual([0, null])
      await open
    }
  })

  it('says so to a balancer without an access token, too, where tokens are required', async () => {
    const { url } = await stage.upstream()
    const port = await freePort()
    const child = await start(port, url, {
      FIRN_HTTP_SHUTDOWN_DELAY_MS: '3s',
      FIRN_API_AUTH_REQUIRED: 'true',
      FIRN_API_AUTH_PASSWORD: 'Correct-horse-7-battery-staple!',
    })
    const check = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status
    expect(await check('/v1/live-check')).toBe(401)
    child.kill('SIGTERM')
    await expect.poll(() => check('/v1/live-check')).toBe(503)
    expect(await check('/ext/health/readiness')).toBe(503)
  })
})
