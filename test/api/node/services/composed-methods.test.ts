import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPlatformService } from '../../../../src/api/node/services/platform.ts'
import { type App, createApp } from '../../../../src/app.ts'
import { recordedJson, recordedLines } from '../../../support/recorded/recordings.ts'
import { type ReplayNode, startReplayNode } from '../../../support/replay-node/index.ts'
import { callLocal } from '../local-call.ts'
import { testConfig } from '../recorded-node.ts'
import { type NewerNode, startNewerNode } from './newer-node.ts'

/** What issue and specification name and the newest nodes dropped or are going to drop. */
const DROPPED = ['info.getTxFee', 'platform.getBalance', 'platform.getBlockchains', 'eth_getActivePrecompilesAt']

let node: ReplayNode
let newer: NewerNode
let app: App
let url: string

beforeAll(async () => {
  node = await startReplayNode()
  newer = await startNewerNode(node.url, DROPPED)
  app = await createApp(testConfig([newer.url]))
  url = await app.listen()
})
afterAll(async () => {
  await app?.close()
  await newer?.stop()
  await node?.stop()
})

const post = async (base: string, path: string, method: string, params: unknown = {}): Promise<string> => {
  const answer = await fetch(`${base}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }),
  })
  expect(answer.status).toBe(200)
  return answer.text()
}
/** The same question to this server, whose node lacks the method, and to a node that has it. */
const both = async (path: string, method: string, params?: unknown): Promise<[string, string]> => [
  await post(url, path, method, params),
  await post(node.url, path, method, params),
]

interface AddressState {
  address: string
  P: { balance: object }
}

describe('methods that a node does not have any more', () => {
  it('are really not there', async () => {
    expect(await post(newer.url, '/ext/bc/P', 'platform.getBalance')).toContain('find method')
  })

  it('info.getTxFee', async () => {
    const [own, real] = await both('/ext/info', 'info.getTxFee')
    expect(own).toBe(real)
    expect(JSON.parse(own)).toMatchObject({ result: recordedJson<{ txFee: object }>('network').txFee })
  })

  it("platform.getBlockchains, in a node's order", async () => {
    const [own, real] = await both('/ext/bc/P', 'platform.getBlockchains')
    expect(own).toBe(real)
    expect(JSON.parse(own).result.blockchains.length).toBeGreaterThan(4)
  })

  it('platform.getBalance by every path of the chain', async () => {
    const addresses = ['P-fuji18jma8ppw3nhx5r4ap8clazz0dps7rv5u6wmu4t']
    for (const path of ['/ext/bc/P', '/ext/P', '/ext/bc/platform']) {
      const answer = JSON.parse(await post(url, path, 'platform.getBalance', { addresses }))
      expect(answer.result.balance).toMatch(/^\d+$/)
    }
  })

  it('platform.getBalance without addresses, of strangers and of what is no address', async () => {
    for (const params of [
      {},
      { addresses: [] },
      { addresses: null },
      { addresses: ['P-fuji1kdqjtk82zfans6pp6yw2gkwg7edtq95l0agdmq'] },
      { addresses: ['P-fuji1nope'] },
      { addresses: ['X-fuji18jma8ppw3nhx5r4ap8clazz0dps7rv5u6wmu4t'] },
      { addresses: [''] },
      { addresses: 'P-fuji18jma8ppw3nhx5r4ap8clazz0dps7rv5u6wmu4t' },
    ]) {
      const [own, real] = await both('/ext/bc/P', 'platform.getBalance', params)
      expect(own, JSON.stringify(params)).toBe(real)
    }
  })

  it('leave the answer of the node when it lacks what they are composed from, too', async () => {
    newer.dropped.add('platform.getUTXOs').add('platform.validates')
    try {
      const params = { addresses: ['P-fuji18jma8ppw3nhx5r4ap8clazz0dps7rv5u6wmu4t'] }
      expect(await post(url, '/ext/bc/P', 'platform.getBalance', params)).toContain('\\"platform.GetBalance\\"')
      expect(await post(url, '/ext/bc/P', 'platform.getBlockchains')).toContain('\\"platform.GetBlockchains\\"')
    } finally {
      for (const method of ['platform.getUTXOs', 'platform.validates']) newer.dropped.delete(method)
    }
  })
})

describe('a composed platform.getBalance', () => {
  const states = recordedLines<AddressState>('address-state')
  /** The moment at which the balances were recorded decides which locks are over. */
  const at = recordedJson<{ time: number }>('final-state').time * 1_000
  const service = createPlatformService(() => at)
  const ask = async (method: string, params: unknown, endpoint = 'P'): Promise<string> => {
    const path = endpoint === 'info' ? '/ext/info' : `/ext/bc/${endpoint}`
    return JSON.stringify(JSON.parse(await post(node.url, path, method, params)).result)
  }
  const compose = async (addresses: readonly string[]): Promise<string> => {
    const body = { jsonrpc: '2.0', id: 1, method: 'platform.getBalance', params: { addresses } }
    return String(await callLocal(service, 'P', JSON.stringify(body), { ask }))
  }
  const recorded = (balance: object): string => `${JSON.stringify({ jsonrpc: '2.0', result: balance, id: 1 })}\n`

  it.each(states.map((state) => [state.address, state] as const))('is the recorded one: %s', async (address, state) => {
    expect(await compose([`P-${address}`])).toBe(recorded(state.P.balance))
  })

  it('of many addresses counts what they share once, and reads more than a node takes in one question', async () => {
    const addresses = states.map(({ address }) => `P-${address}`)
    const many = Array.from({ length: 9 }, () => addresses).flat()
    expect(many.length).toBeGreaterThan(1_024)
    const [few, all] = [await compose(addresses), await compose(many)]
    const truth = JSON.parse(await post(node.url, '/ext/bc/P', 'platform.getBalance', { addresses })).result
    expect(JSON.parse(few).result).toEqual(truth)
    expect(JSON.parse(all).result).toEqual(truth)
  })
})
