import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { createStage } from '../../support/server/stage.ts'

const stage = createStage()
afterEach(() => stage.clear())

it.each(['/docs', '/api'])('a client that asks for the scripts of %s and does not read them is cut', async (page) => {
  const { url, app } = await stage.serve({ http: { answerTimeoutMs: 500 } })
  const path = `${page}/static/swagger-ui-bundle.js`
  const whole = await fetch(url + path)
  expect([whole.status, whole.headers.get('content-type')]).toEqual([200, 'application/javascript; charset=utf-8'])
  const { length } = await whole.text()
  expect(length).toBeGreaterThan(1_000_000)
  const taken = once(app.http.server, 'connection') as Promise<[Socket]>
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.on('error', () => undefined)
  const [atServer] = await taken
  const cut = new Promise((resolve) => atServer.once('close', resolve))
  socket.pause()
  // Twice, as one may fit into what the system keeps.
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(8))
  await cut
  socket.destroy()
})
