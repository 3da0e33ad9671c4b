import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sendRaw } from '../../../../support/server/raw-http.ts'
import { type RecordedStage, startStage } from '../../recorded-node.ts'

let stage: RecordedStage
beforeAll(async () => {
  stage = await startStage([])
})
afterAll(() => stage.close())

const BODY = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"info.getNetworkID"}')

const ask = async (hosts: readonly string[], target = '/ext/info'): Promise<[number, string]> => {
  const reply = await sendRaw(stage.port, {
    method: 'POST',
    target,
    headers: [
      ...hosts.map((host) => ['Host', host] as [string, string]),
      ['Content-Type', 'application/json'],
      ['Content-Length', String(BODY.length)],
    ],
    body: BODY,
  })
  return [reply.status, reply.body.toString()]
}

const FOREIGN = [403, 'invalid host specified\n']

describe('the Host header', () => {
  it('stands once, and holds what a host may hold, or it is refused as by Go', async () => {
    expect(await ask(['localhost', 'localhost'])).toEqual([400, '400 Bad Request'])
    expect(await ask(['a@localhost'])).toEqual([400, '400 Bad Request: malformed Host header'])
    expect(await ask(['localhost/'])).toEqual([400, '400 Bad Request: malformed Host header'])
    expect((await ask(['localhost']))[0]).toBe(200)
  })

  it('is named in the status line, too, where it is refused', async () => {
    const socket = connect(stage.port, '127.0.0.1')
    socket.write('POST /ext/info HTTP/1.1\r\n\r\n')
    const why = '400 Bad Request: missing required Host header'
    const head = 'Content-Type: text/plain; charset=utf-8\r\nConnection: close'
    expect(await text(socket)).toBe(`HTTP/1.1 ${why}\r\n${head}\r\n\r\n${why}`)
  })

  it('does not count where the target names the host', async () => {
    expect(await ask(['localhost'], 'http://evil.example/ext/info')).toEqual(FOREIGN)
    expect(await ask(['evil.example'], 'http:///ext/info')).toEqual(FOREIGN)
    expect((await ask(['evil.example'], 'http://localhost:1/ext/info'))[0]).toBe(200)
  })
})
