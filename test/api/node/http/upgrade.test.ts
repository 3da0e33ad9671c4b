import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sendRaw } from '../../../support/server/raw-http.ts'
import { type RecordedStage, startStage } from '../recorded-node.ts'

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
})
