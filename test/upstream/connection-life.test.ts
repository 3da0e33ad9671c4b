import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { expect, it, onTestFinished, vi } from 'vitest'
import { CONNECTION_LIFE_MS } from '../../src/upstream/defaults.ts'
import { createUpstreamRegistry } from '../../src/upstream/origin-registry.ts'
import { eventually } from '../support/eventually.ts'

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
