import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sendRaw } from '../../../../support/server/raw-http.ts'
import { type RecordedStage, startStage } from '../../recorded-node.ts'

let stage: RecordedStage
beforeAll(async () => {
  stage = await startStage([])
})
afterAll(() => stage.close())

const BODY = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"info.getNetworkID"}')
/** As Java's client asks every server in clear text. */
const H2C = [
  ['Connection', 'Upgrade, HTTP2-Settings'],
  ['HTTP2-Settings', 'AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA'],
  ['Upgrade', 'h2c'],
] as const

const ask = async (method: string, target: string, headers: readonly (readonly [string, string])[], body = BODY) => {
  const all = [['Host', 'localhost'], ['Content-Type', 'application/json'], ...headers] as const
  return sendRaw(stage.port, {
    method,
    target,
    headers: [...all, ['Content-Length', String(body.length)]],
    body,
  })
}

/** All bytes of an answer after which the server ends the connection. */
const whole = (port: number, lines: readonly string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    let told = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(`${lines.join('\r\n')}\r\n\r\n`))
    socket.on('data', (bytes) => {
      told += bytes.toString('latin1')
    })
    socket.on('end', () => {
      socket.destroy()
      resolve(told)
    })
    socket.on('error', reject)
  })

describe('an upgrade', () => {
  it('to a protocol that is not spoken here is answered as if nobody had asked for it', async () => {
    const plain = await ask('POST', '/ext/info', [])
    expect(plain.status).toBe(200)
    const asked = await ask('POST', '/ext/info', H2C)
    const comparable = ({ headers, ...rest }: typeof plain) => ({
      ...rest,
      headers: headers.filter(([name]) => name !== 'Date'),
    })
    expect(comparable(asked)).toEqual(comparable(plain))
    expect((await ask('GET', '/ext/health/liveness', H2C, Buffer.alloc(0))).status).toBe(200)
    expect((await ask('GET', '/ext/bc/C/ws', H2C, Buffer.alloc(0))).status).toBe(400)
    expect((await ask('GET', '/live', H2C, Buffer.alloc(0))).status).toBe((await ask('GET', '/live', [])).status)
    expect((await ask('OPTIONS', '/ext/info', [...H2C, ['Access-Control-Request-Method', 'POST']])).status).toBe(200)
  })

  it('that is refused tells whose answer it is', async () => {
    const wanting = [
      ['Connection', 'Upgrade'],
      ['Upgrade', 'websocket'],
      ['Sec-WebSocket-Version', '13'],
    ] as const
    const refused = await ask('GET', '/ext/bc/C/ws', wanting, Buffer.alloc(0))
    expect(refused.status).toBe(400)
    expect(refused.headers.map(([name]) => name)).toEqual(
      expect.arrayContaining(['Content-Type', 'Node-Id', 'Sec-Websocket-Version', 'Vary']),
    )
  })

  it.each([
    ['GET', '/ext//info', '', 'Access-Control-Allow-Credentials,Access-Control-Allow-Origin,Location,Node-Id,Vary'],
    [
      'GET',
      '/ext/nowhere',
      '404 page not found\n',
      'Access-Control-Allow-Credentials,Access-Control-Allow-Origin,Content-Type,Node-Id,Vary,X-Content-Type-Options',
    ],
    [
      'HEAD',
      '/ext/nowhere',
      '',
      'Access-Control-Allow-Credentials,Access-Control-Allow-Origin,Content-Type,Node-Id,Vary,X-Content-Type-Options',
    ],
  ])(
    'that is refused (%s %s) has the headers of any other answer, in their order',
    async (method, target, body, names) => {
      const told = await whole(stage.port, [
        `${method} ${target} HTTP/1.1`,
        'Host: localhost',
        'Origin: https://app.example.org',
        'Connection: Upgrade',
        'Upgrade: websocket',
      ])
      const [head = '', rest] = told.split('\r\n\r\n')
      const lines = head.split('\r\n').slice(1)
      expect(lines.map((line) => line.split(':')[0]).join()).toBe(`${names},Date,Content-Length,Connection`)
      expect(rest).toBe(body)
    },
  )
})
