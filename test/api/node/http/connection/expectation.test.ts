import { afterAll, beforeAll, expect, it } from 'vitest'
import { sendRaw } from '../../../../support/server/raw-http.ts'
import { type RecordedStage, startStage } from '../../recorded-node.ts'

let stage: RecordedStage
beforeAll(async () => {
  stage = await startStage([])
})
afterAll(() => stage.close())

const ask = (method: string, expectation: string, target = '/ext/health/liveness', host = 'localhost') =>
  sendRaw(stage.port, {
    method,
    target,
    headers: [
      ['Host', host],
      ['Expect', expectation],
    ],
    body: Buffer.alloc(0),
  })

it('an expectation that nobody knows ends the connection, as at a node', async () => {
  const refused = await ask('GET', 'tea')
  expect(refused.status).toBe(417)
  expect(refused.headers.map(([name, value]) => (name === 'Date' ? name : `${name}: ${value}`))).toEqual([
    'Connection: close',
    'Date',
    'Content-Length: 0',
  ])
  expect((await ask('HEAD', 'tea')).headers.map(([name]) => name)).toEqual(['Connection', 'Date'])
})

it('an empty expectation is none', async () => {
  expect((await ask('GET', '')).status).toBe(200)
})

it('a malformed request is refused as such, whatever it expects', async () => {
  expect((await ask('GET', 'tea', '/ext/%')).status).toBe(400)
  expect((await ask('GET', 'tea', '/ext/info', 'localhost/')).status).toBe(400)
})
