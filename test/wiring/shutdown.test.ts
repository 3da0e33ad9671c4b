import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { Worker } from 'node:worker_threads'
import { afterAll, expect, it, vi } from 'vitest'
import { createConfig } from '../../src/config/index.ts'
import { createStage } from '../support/server/stage.ts'
import { eventually } from '../support/waiting/eventually.ts'

const stage = createStage()
afterAll(() => stage.clear())

/** A server as it is without any setting of how it ends. */
async function serveAsShipped() {
  const { shutdownDelayMs, shutdownGraceMs } = createConfig({}).http
  return stage.serve({ http: { shutdownDelayMs, shutdownGraceMs } })
}

/**
 * Asks from a thread of its own over 40 kept connections until it is refused; tells how often each end came. A connection
 * that carried no request yet is left aside: the system makes it without the server, even in the moment of its end.
 */
const POLLERS = `
  const { parentPort, workerData: url } = require('node:worker_threads')
  const { Agent, request } = require('node:http')
  const ends = {}
  const ask = (agent) => new Promise((resolve) => {
    const asked = request(url, { agent }, (answer) => answer.resume().once('end', () => resolve(answer.statusCode)))
    asked.once('error', (error) => resolve(asked.reusedSocket ? error.code : 'new connection ' + error.code))
    asked.end()
  })
  const poll = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    for (let end = ''; !end.startsWith('new'); ends[end] = (ends[end] ?? 0) + 1) {
      end = String(await ask(agent))
      parentPort.postMessage('asking')
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 100))
    }
  }
  Promise.all(Array.from({ length: 40 }, poll)).then(() => parentPort.postMessage(ends))
`

it('loses no request of clients that keep their connections and ask again and again', async () => {
  const { app, url } = await serveAsShipped()
  const pollers = new Worker(POLLERS, { eval: true, workerData: `${url}/ext/health/liveness` })
  const ends = new Promise<Record<string, number>>((resolve) =>
    pollers.on('message', (message) => message !== 'asking' && resolve(message)),
  )
  await new Promise((resolve) => pollers.once('message', resolve))
  await new Promise((resolve) => setTimeout(resolve, 200))
  await app.close()
  const { '200': answered = 0, ...others } = await ends
  expect(answered).toBeGreaterThan(40)
  expect(Object.keys(others).filter((end) => !end.startsWith('new connection'))).toEqual([])
})

it('is not ended by a limit that is meant for starting', async () => {
  const { app } = await serveAsShipped()
  expect(app.http.initialConfig.pluginTimeout).toBe(0)
})

it('says why it is unhealthy until its last answer', async () => {
  const { app, url } = await stage.serve({ http: { shutdownDelayMs: 0, shutdownGraceMs: 60_000 } })
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.write('GET /ext/health HTTP/1.1\r\n')
  await eventually(async () => {
    const open = await new Promise<number>((resolve) => app.http.server.getConnections((_, count) => resolve(count)))
    expect(open).toBe(1)
  })
  const closed = app.close()
  await eventually(() => expect(app.http.server.listening).toBe(false))
  socket.end('host: localhost\r\nconnection: close\r\n\r\n')
  expect(await text(socket)).toContain('"error":"server shutting down"')
  await closed
})

it('goes on serving through the delay when it is told twice to close', async () => {
  const { app } = await stage.serve({ http: { shutdownDelayMs: 200 } })
  const ended = vi.spyOn(app.http, 'close')
  const both = [app.close(), app.close()]
  expect(ended).not.toHaveBeenCalled()
  await Promise.all(both)
  expect(ended).toHaveBeenCalledTimes(1)
})
