import { afterAll, beforeAll, expect, it } from 'vitest'
import { sendRaw } from '../../../support/server/raw-http.ts'
import { type RecordedStage, startStage } from '../recorded-node.ts'

let stage: RecordedStage
beforeAll(async () => {
  stage = await startStage([])
})
afterAll(() => stage.close())

const HEADERS = [
  ['Host', 'localhost'],
  ['Content-Type', 'application/json'],
] as const

const lengthOf = async (method: string, target: string): Promise<[number, string | undefined]> => {
  const reply = await sendRaw(stage.port, { method, target, headers: HEADERS, body: Buffer.alloc(0) })
  return [reply.status, reply.headers.find(([name]) => name === 'Content-Length')?.[1]]
}

it('HEAD tells no length where nothing is written, as Go does not', async () => {
  expect(await lengthOf('HEAD', '/ext/bc/C/rpc')).toEqual([200, undefined])
  expect(await lengthOf('GET', '/ext/bc/C/rpc')).toEqual([200, '0'])
  expect(await lengthOf('HEAD', '/ext//bc/P')).toEqual([301, undefined])
  expect(await lengthOf('HEAD', '/ext/nowhere')).toEqual([404, '19'])
  expect(await lengthOf('HEAD', '/ext/health/liveness')).toEqual([200, expect.stringMatching(/^\d+$/)])
})
