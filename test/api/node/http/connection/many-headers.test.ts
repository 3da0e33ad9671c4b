import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RawReply, sendRaw } from '../../../../support/server/raw-http.ts'
import { type RecordedStage, startStage } from '../../recorded-node.ts'

let stage: RecordedStage
beforeAll(async () => {
  stage = await startStage([])
})
afterAll(() => stage.close())

const BODY = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"info.getNetworkID"}')
/** More than Node.js reads unless it is told otherwise; as bytes far from the limit. */
const MANY = Array.from({ length: 2_500 }, (_, index): [string, string] => [`X-${index}`, 'a'])

const ask = (last: [string, string][]): Promise<RawReply> =>
  sendRaw(stage.port, {
    method: 'POST',
    target: '/ext/info',
    headers: [['Content-Length', String(BODY.length)], ...MANY, ...last],
    body: BODY,
  })

it('reads headers behind thousands of others, as a node does', async () => {
  const headers: [string, string][] = [
    ['Host', 'localhost'],
    ['Content-Type', 'application/json'],
  ]
  expect((await ask(headers)).body.toString()).toContain('"result":{"networkID":"5"}')
  expect((await ask([...headers, ['Avalanche-Api-Route', 'x']])).status).toBe(404)
  expect((await ask([['Host', 'evil.example'], ...headers.slice(1)])).body.toString()).toBe('invalid host specified\n')
})
