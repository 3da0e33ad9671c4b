import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { createInterface } from 'node:readline'
import { expect, it, onTestFinished } from 'vitest'
import { startReplayNode } from '../support/replay-node/index.ts'
import { createElectrumFacade } from './bitcoin/electrum.ts'
import type { Regtest } from './bitcoin/regtest.ts'
import { createEsploraFacade } from './bitcoin/rest.ts'
import { startSolanaChain } from './solana-chain.ts'

/*
 * Every chain of the sandbox listens on a port of its own, and its URL is in logs and metrics: whoever opens it in a browser
 * must not end the sandbox.
 */
it.each([
  ['GET', undefined],
  ['POST', 'not json'],
  ['POST', '[null]'],
  ['POST', 'null'],
])('the Solana chain answers a %s of %s', async (method, body) => {
  const chain = await startSolanaChain()
  onTestFinished(() => chain.close())
  const answer = await fetch(chain.url, { method, ...(body === undefined ? {} : { body }) })
  expect(JSON.stringify(await answer.json())).toContain('"error":')
})

it('the Electrum server answers a line that is no JSON', async () => {
  // No line gets as far as the chain.
  const server = createElectrumFacade({} as Regtest).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  const lines = createInterface({ input: socket })
  for (const line of ['GET / HTTP/1.1', 'null']) {
    socket.write(`${line}\n`)
    const [told] = await once(lines, 'line')
    expect(JSON.parse(told)).toMatchObject({ id: null, error: { code: -32600 } })
  }
})

it('the Electrum server goes on when its client breaks off', async () => {
  const server = createElectrumFacade({} as Regtest).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const closed: Promise<unknown>[] = []
  server.on('connection', (socket) => closed.push(new Promise((resolve) => socket.on('close', resolve))))
  for (let round = 0; round < 20; round++) {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    socket.write('{"id":1,"method":"server.ping"}\n')
    await once(socket, 'data')
    socket.resetAndDestroy()
  }
  expect(await Promise.all(closed)).toHaveLength(20)
})

it('the Esplora server answers a path that cannot be decoded', async () => {
  const server = createEsploraFacade({} as Regtest).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  expect((await fetch(`http://127.0.0.1:${port}/%zz`)).status).toBe(500)
})

it.each([
  'POST /ext/bc/P HTTP/1.1\r\nHost: localhost\r\nContent-Length: 300\r\n\r\n{"a"',
  'GET /ext/info HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
])('the Avalanche node goes on when its client breaks off %j', async (start) => {
  const node = await startReplayNode()
  onTestFinished(() => node.stop())
  for (let round = 0; round < 20; round++) {
    const socket = connect(Number(new URL(node.url).port), '127.0.0.1')
    await once(socket, 'connect')
    await new Promise((resolve) => socket.write(start, resolve))
    socket.resetAndDestroy()
    await once(socket, 'close')
  }
  const told = await fetch(`${node.url}/ext/health/liveness`)
  expect(told.status).toBe(200)
})
