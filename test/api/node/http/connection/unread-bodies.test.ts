import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { createStage } from '../../../../support/server/stage.ts'

const stage = createStage()
afterEach(() => stage.clear())

/** The port of a server that lets nobody in. A machine that is busy takes its time to send what is left of a body. */
async function serve(requestTimeoutMs = 60_000): Promise<number> {
  const { url } = await stage.serve({
    http: { headersTimeoutMs: requestTimeoutMs, requestTimeoutMs, bodyRoomBytes: 1 },
    node: { network: 'mainnet', bodyLimitBytes: 100_000 },
    balance: { appCheck: { mode: 'static', tokens: ['a-token-of-an-app'] } },
    chains: { avalanche: { mainnet: { name: 'Own', upstreams: [{ url: await stage.deadUrl() }] } } },
  })
  return Number(new URL(url).port)
}

const BODY_BYTES = 12_000_000
const head = (path: string, version: string): string =>
  `POST ${path} HTTP/${version}\r\nHost: 127.0.0.1\r\nConnection: close\r\n` +
  `Content-Type: application/json\r\nContent-Length: ${BODY_BYTES}\r\n\r\n`

it.each([
  ['/v1/balance/get-balances', 401],
  ['/nowhere', 404],
  ['/ext/info', 413],
])('%s: a proxy that sends all of a large body before it reads hears the refusal', async (path, status) => {
  const port = await serve()
  for (const version of ['1.0', '1.1']) {
    const socket = connect(port, '127.0.0.1')
    socket.write(head(path, version))
    for (let sent = 0; sent < BODY_BYTES; sent += 1_000_000) {
      // Time in which a server that has answered closes.
      await new Promise((resolve) => setTimeout(resolve, 10))
      await new Promise<void>((resolve, reject) =>
        socket.write(Buffer.alloc(1_000_000, 32), (error) => (error ? reject(error) : resolve())),
      )
    }
    const [answer] = (await once(socket, 'data')) as [Buffer]
    expect(answer.toString()).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    socket.destroy()
  }
})

it('what was dropped takes no room from other bodies', async () => {
  const port = await serve()
  // Of no announced length: begun, and given up.
  const socket = connect(port, '127.0.0.1')
  socket.write(head('/ext/info', '1.1').replace(/Content-Length.*/, 'Transfer-Encoding: chunked'))
  // More than waits in the system: most of it comes behind the answer.
  for (let sent = 0; sent < 2 * BODY_BYTES; sent += 1_000_000) {
    await new Promise((resolve) => setTimeout(resolve, 5))
    socket.write(`${(1_000_000).toString(16)}\r\n${' '.repeat(1_000_000)}\r\n`)
  }
  socket.end('0\r\n\r\n')
  expect(String(await once(socket, 'data'))).toMatch(/^HTTP\/1.1 413 /)
  await new Promise((resolve) => socket.once('close', resolve))

  const answer = await fetch(`http://127.0.0.1:${port}/v1/balance/get-balances`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-firebase-appcheck': 'a-token-of-an-app' },
    body: JSON.stringify({ data: [], currency: 'x'.repeat(100_000) }),
  })
  expect(answer.status).toBe(400)
})

it('who never sends the rest is cut', async () => {
  const port = await serve(900)
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  socket.write(head('/v1/balance/get-balances', '1.1'))
  let text = ''
  socket.on('data', (part) => {
    text += part
  })
  const closed = new Promise((resolve) => socket.once('close', resolve))
  // Its own end stays open, as that of a proxy that is still to send.
  await once(
    socket.on('error', () => undefined),
    'end',
  )
  const keepOn = setInterval(() => socket.write(' '), 20)
  await closed
  clearInterval(keepOn)
  expect(text).toMatch(/^HTTP\/1.1 401 /)
})
