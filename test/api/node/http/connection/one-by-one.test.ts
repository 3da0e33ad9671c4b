import { once } from 'node:events'
import type { Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createStage } from '../../../../support/server/stage.ts'
import { eventually } from '../../../../support/waiting/eventually.ts'
import { type Gate, gate } from '../../../../support/waiting/gate.ts'

const stage = createStage()
afterAll(() => stage.clear())

/** What came to the node, in its order; it answers once the gate is open. */
const reached: string[] = []
/** In whose trace it came. */
const traces = new Map<string, string | undefined>()
let answers: Gate = gate()
let server: Server
let port = 0
beforeAll(async () => {
  const node = await stage.upstream({
    answer: ({ params }) => (params as [string])[0],
    handle: ({ headers }, body) => {
      traces.set(nameIn(String(body)), String(headers['traceparent']).split('-')[1])
      return undefined
    },
    faults: ({ body }) => {
      const name = nameIn(body)
      // Others ask who the node is, and where.
      if (name !== '') reached.push(name)
      return name === 'other' || name === '' ? {} : { held: answers.opened }
    },
  })
  const served = await stage.serve({
    node: { network: 'mainnet' },
    chains: { avalanche: { mainnet: { name: 'Own', upstreams: [{ url: node.url }] } } },
  })
  port = Number(new URL(served.url).port)
  server = served.app.http.server
})

const nameIn = (body: string): string => /"params":\["(\w+)"\]/.exec(body)?.[1] ?? ''

function request(name: string, head = ''): string {
  const body = `{"jsonrpc":"2.0","id":1,"method":"info.unheardOf","params":["${name}"]}`
  return `POST /ext/info HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${head}Content-Length: ${body.length}\r\n\r\n${body}`
}

/** A connection, its end at the server, and what it was told. */
async function open(): Promise<{ client: Socket; atServer: Socket; text: () => string }> {
  const taken = once(server, 'connection') as Promise<[Socket]>
  const client = connect(port, '127.0.0.1')
  client.on('error', () => undefined)
  let text = ''
  client.on('data', (part: Buffer) => {
    text += part
  })
  const [atServer] = await taken
  return { client, atServer, text: () => text }
}

it('requests that come in together begin one after another, and are all answered in their order', async () => {
  answers = gate()
  const together = await open()
  together.client.write(['first', 'second', 'third'].map((name) => request(name)).join(''))
  await eventually(() => expect(reached).toContain('first'))
  const other = await open()
  other.client.write(request('other'))
  await eventually(() => expect(other.text()).toContain('"result":"other"'))
  expect(reached).toEqual(['first', 'other'])
  answers.open()
  await eventually(() =>
    expect([...together.text().matchAll(/"result":"(\w+)"/g)].map(([, name]) => name)).toEqual([
      'first',
      'second',
      'third',
    ]),
  )
  expect(reached).toEqual(['first', 'other', 'second', 'third'])
  together.client.destroy()
  other.client.destroy()
})

it('each is in the trace of its own caller, whoever was before it', async () => {
  answers = gate()
  answers.open()
  const ids = { one: '1'.repeat(32), two: '2'.repeat(32) }
  const headOf = (id: string): string => `traceparent: 00-${id}-${'3'.repeat(16)}-01\r\n`
  const { client, text } = await open()
  client.write(
    Object.entries(ids)
      .map(([name, id]) => request(name, headOf(id)))
      .join('') + request('three'),
  )
  await eventually(() => expect(text()).toContain('"result":"three"'))
  expect([...traces].filter(([name]) => name === 'one' || name === 'two')).toEqual(Object.entries(ids))
  client.destroy()
})

it('a WebSocket that is asked for together with other requests begins behind their answers', async () => {
  answers = gate()
  const { client, text } = await open()
  const upgrade = [
    'GET /ext/bc/C/ws HTTP/1.1',
    'Host: localhost',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  ]
  client.write(`${request('early')}${request('late')}${upgrade.join('\r\n')}\r\n\r\n`)
  await eventually(() => expect(reached).toContain('early'))
  answers.open()
  await eventually(() =>
    expect([...text().matchAll(/HTTP\/1.1 (\d+)/g)].map(([, status]) => status)).toEqual(['200', '200', '101']),
  )
  client.destroy()
})

it('who sends hundreds without waiting for an answer is cut', async () => {
  answers = gate()
  const { client, atServer, text } = await open()
  const gone = once(atServer, 'close')
  client.write(request('held') + 'GET /v1/live-check HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(300))
  await gone
  // An idle connection also ends, but behind the answers.
  expect(text()).toBe('')
  answers.open()
})
