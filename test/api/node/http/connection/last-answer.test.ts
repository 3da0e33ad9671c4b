import { once } from 'node:events'
import type { Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createStage } from '../../../../support/server/stage.ts'

const stage = createStage()
afterAll(() => stage.clear())

let server: Server
let port = 0
beforeAll(async () => {
  const served = await stage.serve({
    node: { network: 'mainnet' },
    chains: { avalanche: { mainnet: { name: 'Own', upstreams: [{ url: await stage.deadUrl() }] } } },
  })
  port = Number(new URL(served.url).port)
  server = served.app.http.server
})

const UPGRADE = 'Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n'
/** What is answered with the last words of a connection, and their status. */
const REFUSED: readonly (readonly [name: string, bytes: string, status: number])[] = [
  ['a WebSocket where there is none', `GET /nowhere HTTP/1.1\r\nHost: localhost\r\n${UPGRADE}`, 404],
  ['a WebSocket of no chain', `GET /ext/nowhere HTTP/1.1\r\nHost: localhost\r\n${UPGRADE}`, 404],
  ['a WebSocket without a key', `GET /ext/bc/C/ws HTTP/1.1\r\nHost: localhost\r\n${UPGRADE}`, 400],
  ['a WebSocket without a host', `GET /ext/bc/C/ws HTTP/1.1\r\n${UPGRADE}`, 400],
  ['a request without a host', 'GET / HTTP/1.1\r\n\r\n', 400],
  ['what is no HTTP', 'GARBAGE\r\n\r\n', 400],
]

/** A client that has heard its refusal, and when its connection is gone at the server. */
async function refused(bytes: string, status: number): Promise<{ client: Socket; gone: Promise<unknown> }> {
  const taken = once(server, 'connection') as Promise<[Socket]>
  // As a client that says its end when it likes to.
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  client.on('error', () => undefined)
  const [atServer] = await taken
  const gone = new Promise((resolve) => atServer.once('close', resolve))
  client.write(bytes)
  const [answer] = (await once(client, 'data')) as [Buffer]
  expect(String(answer)).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  return { client, gone }
}

it.each(REFUSED)('%s: who sends on and leaves takes no place any more', async (_name, bytes, status) => {
  const { client, gone } = await refused(bytes, status)
  client.write('more that nobody reads')
  client.end()
  await gone
})

it('who is refused and never closes is cut', async () => {
  const all: { client: Socket; gone: Promise<unknown> }[] = []
  for (const [, bytes, status] of REFUSED) all.push(await refused(bytes, status))
  await Promise.all(all.map(({ gone }) => gone))
  for (const { client } of all) client.destroy()
})
