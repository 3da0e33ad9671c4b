import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { SocketLimits } from '../../../../../src/api/node/evm/ws/limits.ts'
import { type Anvil, startAnvil } from '../../../../support/evm/anvil.ts'
import { until } from '../../../../support/waiting/until.ts'
import { type EvmNode, startEvmNode } from '../evm-node.ts'
import { type EvmStage, startEvmStage } from '../stage.ts'
import { heights, openClient } from './ws-client.ts'

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index)

describe('a node is lost while clients are subscribed', () => {
  let anvil: Anvil
  let nodes: EvmNode[]
  let stage: EvmStage

  const start = async (limits: Partial<SocketLimits> = {}): Promise<void> => {
    stage = await startEvmStage({ nodes: nodes.map(({ url }) => url), sockets: limits })
  }
  const mine = (): Promise<string> => anvil.rpc('evm_mine', [])
  const holder = (): EvmNode => nodes.find((node) => node.sockets() > 0) as EvmNode

  beforeAll(async () => {
    anvil = await startAnvil()
    nodes = [await startEvmNode(anvil.url), await startEvmNode(anvil.url)]
  })
  afterEach(async () => {
    for (const node of nodes) node.setDown(false)
    await stage.close()
  })
  afterAll(async () => {
    for (const node of nodes) await node.stop()
    await anvil.stop()
  })

  it('every head comes once and in order, under the same id, also those of the time between', async () => {
    await start()
    const client = await openClient(stage.wsUrl)
    const { result: id } = await client.ask('eth_subscribe', ['newHeads'])
    const first = Number(await anvil.rpc('eth_blockNumber')) + 1
    await mine()
    await until(() => client.pushed(id).length === 1, 'first head')
    const [live] = client.pushed(id)
    const lost = holder()
    lost.setDown(true)
    for (let count = 0; count < 3; count += 1) await mine()
    await until(() => client.pushed(id).length === 4, 'missed heads')
    await mine()
    await until(() => client.pushed(id).length === 5, 'head at the other node')
    expect(heights(client.pushed(id))).toEqual(range(first, first + 4))
    expect(holder()).not.toBe(lost)
    // What was read again looks like what is pushed, member by member.
    for (const head of client.pushed(id)) expect(Object.keys(head)).toEqual(Object.keys(live ?? {}))
    const [, second] = client.pushed(id)
    expect(second).toMatchObject({
      hash: (await anvil.rpc<{ hash: string }>('eth_getBlockByNumber', [second?.number, false])).hash,
    })
  })

  it('every log comes once and in order, those of the time between included', async () => {
    await start()
    const emitter = await deployEmitter(anvil)
    const client = await openClient(stage.wsUrl)
    const { result: all } = await client.ask('eth_subscribe', ['logs', { address: emitter }])
    const { result: none } = await client.ask('eth_subscribe', ['logs', { address: `0x${'11'.repeat(20)}` }])
    const emit = (): Promise<unknown> => anvil.send({ to: emitter, data: '0x' })
    await emit()
    await until(() => client.pushed(all).length === 1, 'first log')
    holder().setDown(true)
    await emit()
    await emit()
    await until(() => client.pushed(all).length === 3, 'missed logs')
    await emit()
    await until(() => client.pushed(all).length === 4, 'log at the other node')
    const seen = client.pushed(all).map(({ blockNumber }) => Number(blockNumber))
    expect(seen).toEqual(range(seen[0] ?? 0, (seen[0] ?? 0) + 3))
    expect(client.pushed(none)).toEqual([])
  })

  it('calls are answered while the node with the subscriptions is gone, and a subscription may end then', async () => {
    await start()
    const client = await openClient(stage.wsUrl)
    const { result: id } = await client.ask('eth_subscribe', ['newHeads'])
    holder().setDown(true)
    expect((await client.ask('eth_chainId')).result).toBe('0x7a69')
    expect((await client.ask('eth_unsubscribe', [id])).result).toBe(true)
    expect((await client.ask('eth_unsubscribe', [id])).error).toEqual({
      code: -32000,
      message: 'subscription not found',
    })
    await mine()
    const { result: other } = await client.ask('eth_subscribe', ['newHeads'])
    await mine()
    await until(() => client.pushed(other).length === 1, 'a head of the new subscription')
    expect(client.pushed(id)).toEqual([])
  })

  it('when nobody takes the subscriptions, the client is told to begin anew', async () => {
    await start({ restoreMs: 300 })
    const client = await openClient(stage.wsUrl)
    await client.ask('eth_subscribe', ['newHeads'])
    for (const node of nodes) node.setDown(true)
    expect(await client.closed).toEqual({ code: 1013, reason: 'no node could take over the subscriptions' })
  })

  it('who missed more than is read again is told to begin anew', async () => {
    await start({ maxMissedBlocks: 2 })
    const client = await openClient(stage.wsUrl)
    await client.ask('eth_subscribe', ['newHeads'])
    for (const node of nodes) node.setDown(true)
    for (let count = 0; count < 4; count += 1) await mine()
    for (const node of nodes) node.setDown(false)
    expect(await client.closed).toEqual({ code: 1013, reason: '4 blocks were missed' })
  })

  it('a client with several subscriptions loses none when the node is cut again and again', async () => {
    await start()
    const client = await openClient(stage.wsUrl)
    const ids = await Promise.all([1, 2, 3].map(async () => (await client.ask('eth_subscribe', ['newHeads'])).result))
    const first = Number(await anvil.rpc('eth_blockNumber')) + 1
    for (let round = 0; round < 6; round += 1) {
      await mine()
      for (const node of nodes) node.cutSockets()
      await mine()
    }
    for (const id of ids) {
      await until(() => client.pushed(id).length >= 12, 'all heads')
      expect(heights(client.pushed(id))).toEqual(range(first, first + 11))
    }
    expect(new Set(ids).size).toBe(3)
  })
})

/** Emits an empty log whenever it is called. */
async function deployEmitter(anvil: Anvil): Promise<string> {
  const { contractAddress } = await anvil.send({ data: '0x6006600c60003960066000f360006000a000' })
  return contractAddress
}
