import { describe, expect, it, onTestFinished } from 'vitest'
import { type FaultServer, type SeenCall, startFaultServer } from '../../../support/fault-server.ts'
import { type EvmStage, startEvmStage } from './stage.ts'

/** Nodes of a chain that executes blocks after they were accepted, and settles them later still (C since Helicon). */
type Answer = (call: SeenCall) => unknown

async function start(answers: readonly Answer[]): Promise<{ stage: EvmStage; servers: FaultServer[] }> {
  const servers = await Promise.all(answers.map((answer) => startFaultServer({ answer })))
  const stage = await startEvmStage({ nodes: servers.map(({ url }) => url) })
  onTestFinished(async () => {
    await stage.close()
    await Promise.all(servers.map((server) => server.close()))
  })
  return { stage, servers }
}

const asked = (servers: readonly FaultServer[], method: string): number =>
  servers.reduce((sum, { stats }) => sum + stats.seen.filter((call) => call.method === method).length, 0)

const first = ({ params }: SeenCall): unknown => (params as unknown[])[0]

describe('the settled block, which lies far below the newest one', () => {
  it.each(['finalized', 'safe'])('asked for as %s it makes no node a laggard', async (tag) => {
    const node: Answer = (call) => {
      if (call.method === 'eth_getBlockByNumber') return { number: first(call) === tag ? '0x5a' : '0x64' }
      return call.method === 'eth_blockNumber' ? '0x64' : '0x7'
    }
    const { stage, servers } = await start([node, node])
    expect(await stage.call('eth_blockNumber')).toBe('0x64')
    expect(await stage.call('eth_getBlockByNumber', [tag, false])).toEqual({ number: '0x5a' })
    expect(asked(servers, 'eth_getBlockByNumber')).toBe(1)
    expect(await stage.call('eth_getBalance', ['0x01', 'latest'])).toBe('0x7')
    expect(asked(servers, 'eth_getBalance')).toBe(1)
  })
})
