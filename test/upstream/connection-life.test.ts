import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { expect, it, onTestFinished, vi } from 'vitest'
import { CONNECTION_LIFE_MS } from '../../src/upstream/defaults.ts'
import { createUpstreamRegistry } from '../../src/upstream/http/origin-registry.ts'
import { startTestPool } from '../support/upstream/upstream-pool.ts'
import { eventually } from '../support/waiting/eventually.ts'

it('leaves connections that are always in use after a while, so that a name may come to stand for another server', async () => {
  const open = new Set<Socket>()
  const server = createServer((_, response) => response.end('{}')).on('connection', (socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { dispatcher, release } = createUpstreamRegistry().lease(origin, { connectTimeoutMs: 3_000 })
  onTestFinished(() => release())
  onTestFinished(() => void vi.useRealTimers())
  const ask = async () => {
    const { body, statusCode } = await dispatcher.request({ method: 'GET', path: '/' })
    await body.text()
    expect(statusCode).toBe(200)
  }
  for (let call = 0; call < 9; call += 1) await ask()
  const before = [...open]
  expect(before.length).toBeLessThan(9)
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.setSystemTime(Date.now() + CONNECTION_LIFE_MS + 1)
  await eventually(async () => {
    await ask()
    expect(before.filter((socket) => open.has(socket))).toEqual([])
  })
  expect(open.size).toBeGreaterThan(0)
})

it.each([
  ['one', 1],
  ['all', 2],
])(
  'counts no answer of who took the place of connections that were left for their age: %s stay',
  async (busy, lives) => {
    const before = new Set<Socket>()
    let hasMoved = false
    const started = await startTestPool(
      [
        {
          handle: ({ socket }, body) => {
            if (!hasMoved) before.add(socket)
            const { id, method } = JSON.parse(String(body)) as { id: number; method: string }
            const isMain = before.has(socket)
            const result = method === 'whoami' ? (isMain ? 'main' : 'test') : isMain ? 7 : 0
            return { headers: { 'content-type': 'application/json' }, body: JSON.stringify({ id, result }) }
          },
        },
      ],
      {
        deps: {
          identity: { network: 'main', path: '', rpc: 'whoami', parse: String, matches: (one) => one === 'main' },
        },
      },
    )
    const [server] = started.servers
    const deadline = Date.now() + 9 * CONNECTION_LIFE_MS
    const balance = (n: number) => started.pool.rpc('', 'balance', [n], { batch: false, deadline }).catch(String)
    expect(await balance(1)).toBe(7)
    // Calls that take long, so that there always is a connection to the server of before.
    let letGo = (): void => {}
    const held = new Promise<void>((resolve) => {
      letGo = resolve
    })
    server?.set({ held })
    const slow: Promise<unknown>[] = []
    do {
      slow.push(balance(2 + slow.length))
      await eventually(() => expect(server?.stats.inFlight).toBe(slow.length))
    } while (busy === 'all' && server?.stats.open !== slow.length)
    server?.set()
    hasMoved = true
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    // The clock of ages never goes back: further ahead each time.
    vi.setSystemTime(Date.now() + lives * CONNECTION_LIFE_MS + 1)
    expect(String(await balance(0))).toContain('server is not on main')
    expect(server?.stats.inFlight).toBe(slow.length)
    letGo()
    await Promise.all(slow)
  },
)
