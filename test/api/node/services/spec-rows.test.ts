import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RecordedStage, startStage } from '../recorded-node.ts'
import { check, hex, oneOf } from './answer-shape.ts'
import { untilHealth } from './health-stage.ts'
import { subnetID } from './spec-facts.ts'
import { block, evm, platform } from './spec-rows-chains.ts'
import { health, healthResult, index, info } from './spec-rows-node.ts'

/**
 * Every row of the node APIs' specification that is forwarded, composed or answered by health and index: what it names
 * has to be in an answer of this server before a recorded node. Auth, admin and keystore have tests of their own.
 */
let stage: RecordedStage
beforeAll(async () => {
  stage = await startStage([])
  await untilHealth(stage.url, ({ healthy }) => healthy)
})
afterAll(() => stage?.close())

async function resultOf(path: string, method: string, params: object): Promise<unknown> {
  const answer = await fetch(`${stage.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const text = await answer.text()
  const body = JSON.parse(text) as { jsonrpc: string; id: number; result: unknown }
  expect(body, text).toMatchObject({ jsonrpc: '2.0', id: 1 })
  expect(body.result, text).toBeDefined()
  return body.result
}

describe.each([
  ['Info', info],
  ['P-chain', platform],
  ['Health', health],
  ['Index', index],
  ['L1 EVM', evm],
])('every row of the specification: %s', (_api, rows) => {
  it.each(rows.map((row) => [`${row[1]} ${JSON.stringify(row[2])} at ${row[0]}`, row] as const))(
    '%s',
    async (_name, row) => {
      const [path, method, params, shape] = row
      check(shape, await resultOf(path, method, params))
    },
  )
})

describe('rows that need what another row told', () => {
  it('platform.getBlock: the same block by its id, in both encodings', async () => {
    const byHeight = (await resultOf('/ext/bc/P', 'platform.getBlockByHeight', { height: 5, encoding: 'json' })) as {
      block: { id: string }
    }
    const { id } = byHeight.block
    check({ block: hex, encoding: oneOf('hex') }, await resultOf('/ext/bc/P', 'platform.getBlock', { blockID: id }))
    const json = await resultOf('/ext/bc/P', 'platform.getBlock', { blockID: id, encoding: 'json' })
    check({ block, encoding: oneOf('json') }, json)
    expect(json).toEqual(byHeight)
  })

  it.each(['C/block', 'P/block', 'X/block'])('index by id: %s', async (name) => {
    const path = `/ext/index/${name}`
    const byIndex = (await resultOf(path, 'index.getContainerByIndex', { index: 7, encoding: 'hex' })) as { id: string }
    const params = { id: byIndex.id, encoding: 'hex' }
    expect(await resultOf(path, 'index.getContainerByID', params)).toEqual(byIndex)
    expect(await resultOf(path, 'index.getIndex', params)).toEqual({ index: '7' })
    expect(await resultOf(path, 'index.isAccepted', params)).toEqual({ isAccepted: true })
  })

  it.each(['/ext/health', '/ext/health/health'])('GET %s', async (path) => {
    const answer = await fetch(`${stage.url}${path}?tag=${subnetID}&tag=11111111111111111111111111111111LpoYY`)
    expect(answer.status).toBe(200)
    check({ checks: { P: healthResult, router: healthResult }, healthy: oneOf(true) }, await answer.json())
  })
})
