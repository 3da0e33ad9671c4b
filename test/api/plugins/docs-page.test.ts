import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { createStage } from '../../support/server/stage.ts'

const stage = createStage()

async function rawGet(url: string, headers: Record<string, string> = {}) {
  const [answer] = (await once(get(url, { headers }), 'response')) as [IncomingMessage]
  return { status: answer.statusCode, headers: answer.headers, body: Buffer.concat(await answer.toArray()) }
}

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

it.each(['/docs', '/api'])('the scripts of %s are the same from memory, and not sent to who has them', async (page) => {
  const { url } = await stage.serve()
  const path = `${url}${page}/static/swagger-ui-bundle.js`
  const read = async () => {
    const { status, headers, body } = await rawGet(path)
    const told = ['content-type', 'content-security-policy', 'cache-control', 'etag'].map((name) => headers[name])
    return { status, told, body }
  }
  const { body, ...first } = await read()
  expect(first.told[3]).toMatch(/^"[\w-]{27}"$/)
  const { body: kept, ...second } = await read()
  expect(second).toEqual(first)
  // Byte by byte, `toEqual` takes seconds for a megabyte.
  expect(kept.equals(body)).toBe(true)
  const again = await rawGet(path, { 'if-none-match': String(first.told[3]), 'cache-control': 'no-cache' })
  expect([again.status, again.body.length]).toEqual([304, 0])
  const part = await rawGet(path, { range: 'bytes=0-9' })
  expect([part.status, part.body]).toEqual([206, body.subarray(0, 10)])
  expect((await rawGet(`${url}${page}/static/none.js`)).status).toBe(404)
})
