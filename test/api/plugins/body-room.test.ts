import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, expect, it, onTestFinished } from 'vitest'
import { createStage } from '../../support/server/stage.ts'
import { eventually } from '../../support/waiting/eventually.ts'

const stage = createStage()
afterEach(() => stage.clear())

const LARGE = 600_000
const HTTP = { bodyLimitBytes: LARGE, bodyRoomBytes: 1_000_000 }
const PATHS = ['/v1/balance/get-balances', '/v1/networks/fuji/blockchains/p-chain/utxos', '/ext/bc/P'] as const

/** Sends all but the last byte of a body. */
async function hold(url: string, path: string, bytes: number) {
  const { hostname, port } = new URL(url)
  const socket: Socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  let text = ''
  socket.on('data', (chunk: Buffer) => {
    text += chunk
  })
  socket.on('error', () => {})
  const head = `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${bytes}\r\n\r\n`
  await new Promise((resolve) => socket.write(head + ' '.repeat(bytes - 1), resolve))
  return { socket, answer: () => text }
}

const post = (url: string, path: string, body: string) =>
  fetch(url + path, { method: 'POST', body, headers: { 'content-type': 'application/json' } })

/** Of the body of this length: `ok` = it was read and judged, else the answer of a server without room. */
async function judged(url: string, path: string, bytes: number): Promise<string> {
  const { socket, answer } = await hold(url, path, bytes)
  socket.write('x')
  await eventually(() => expect(answer()).toContain('\r\n\r\n'))
  socket.destroy()
  return answer()
}

it('bodies for which there is no room give way to those that come, in the words of each API, small ones never', async () => {
  const { url } = await stage.serve({
    ...(await stage.hangingChain()),
    http: HTTP,
    node: { bodyLimitBytes: LARGE },
  })
  const older: Awaited<ReturnType<typeof hold>>[] = []
  for (const path of PATHS) {
    older.push(await hold(url, path, 300_000))
    // What the system has of them is read by 64 KiB in each turn of the event loop, and each of these takes a turn.
    for (let turn = 0; turn < 20; turn++) await (await fetch(`${url}/v1/live-check`)).text()
  }
  const large = await hold(url, PATHS[0], LARGE)
  await eventually(() => expect(older.map(({ answer }) => answer() !== '')).toEqual([true, true, false]))
  expect(await judged(url, PATHS[1], 400_000)).toMatch(/^HTTP\/1.1 400 /)
  await eventually(() => expect(older.every(({ answer }) => answer().includes('\r\n\r\n'))).toBe(true))
  for (const { answer } of older) {
    expect(answer()).toMatch(/^HTTP\/1.1 503 /)
    expect(answer().toLowerCase()).toContain('\r\nretry-after: 1\r\n')
    expect(answer().toLowerCase()).toContain('\r\nconnection: close\r\n')
    expect(answer().toLowerCase()).toContain('\r\naccess-control-allow-origin: *\r\n')
  }
  expect(older.map(({ answer }) => answer().slice(answer().indexOf('\r\n\r\n') + 4))).toEqual([
    '{"message":"SERVICE_UNAVAILABLE"}',
    '{"message":"this server has too much to do, try again","error":"Service Unavailable","statusCode":503}',
    'this server has too much to do, try again\n',
  ])
  const metrics = await (await fetch(`${url}/metrics`)).text()
  expect(metrics).toMatch(/firn_http_refused_total\{reason="bodies"\} 3/)
  for (const path of PATHS) expect((await post(url, path, ' '.repeat(60_000))).status).not.toBe(503)
  expect(large.answer()).toBe('')
  large.socket.write('x')
  await eventually(() => expect(large.answer()).toMatch(/^HTTP\/1.1 400 /))
})

it('what was read, and what was given up, takes no room', async () => {
  const { url } = await stage.serve({ ...(await stage.hangingChain()), http: HTTP })
  for (let count = 0; count < 4; count++) expect(await judged(url, PATHS[0], LARGE)).toMatch(/^HTTP\/1.1 400 /)
  const left = await hold(url, PATHS[0], LARGE)
  left.socket.destroy()
  const held = await hold(url, PATHS[0], 350_000)
  await eventually(async () => expect(await judged(url, PATHS[0], LARGE)).toMatch(/^HTTP\/1.1 400 /))
  expect(held.answer()).toBe('')
})

it('one body of the largest size always fits, however small the room', async () => {
  const { url } = await stage.serve({ ...(await stage.hangingChain()), http: { ...HTTP, bodyRoomBytes: 1 } })
  expect(await judged(url, PATHS[0], LARGE)).toMatch(/^HTTP\/1.1 400 /)
})
