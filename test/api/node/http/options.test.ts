import { afterAll, beforeAll, expect, it } from 'vitest'
import { sendRaw } from '../../../support/server/raw-http.ts'
import { type RecordedStage, startStage } from '../recorded-node.ts'

let stage: RecordedStage
beforeAll(async () => {
  stage = await startStage([])
})
afterAll(() => stage.close())

const body = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"web3_sha3","params":["0x"]}')

it.each(['text/plain', ''])(
  'OPTIONS with a body of type %j is answered by an EVM endpoint, as by a node',
  async (type) => {
    const { status, body: told } = await sendRaw(stage.port, {
      method: 'OPTIONS',
      target: '/ext/bc/C/rpc',
      headers: [
        ['Host', 'localhost'],
        ['Content-Type', type],
        ['Content-Length', String(body.length)],
      ],
      body,
    })
    expect([status, JSON.parse(told.toString()).id]).toEqual([200, 1])
  },
)
