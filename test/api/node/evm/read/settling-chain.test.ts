import { describe, expect, it, onTestFinished } from 'vitest'
import { type FaultServer, type SeenCall, startFaultServer } from '../../../../support/upstream/fault-server.ts'
import { type EvmStage, startEvmStage } from '../stage.ts'

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

describe('logs up to the newest block', () => {
  const LOG = { blockHash: `0x${'ab'.repeat(32)}`, blockNumber: '0x64' }
  /** One that has executed less leaves the rest out without a word. */
  const node =
    (height: { now: number }): Answer =>
    ({ method }) => {
      const number = `0x${height.now.toString(16)}`
      if (method === 'eth_blockNumber') return number
      if (method === 'eth_getBlockByNumber') return { number, settledHeight: '0x5a' }
      return height.now >= 100 ? [LOG] : []
    }
  const range = (number: number): unknown[] => [{ fromBlock: '0x1', toBlock: '0x64', address: `0x0${number}` }]
  const numbers = [0, 1, 2, 3, 4, 5]

  it('are those of a node that has executed it, whoever is asked first, alone and in a batch', async () => {
    const { stage } = await start([node({ now: 99 }), node({ now: 100 })])
    expect(await stage.call('eth_blockNumber')).toBe('0x64')
    for (const number of numbers) expect(await stage.call('eth_getLogs', range(number))).toEqual([LOG])
    for (const number of numbers) {
      const batch = [{ jsonrpc: '2.0', id: 1, method: 'eth_getLogs', params: range(6 + number) }]
      expect(JSON.parse((await stage.post(batch)).text)).toMatchObject([{ result: [LOG] }])
    }
  })

  it('are an error when nobody is left who has executed it, and asked anew', async () => {
    const late = { now: 99 }
    const { stage, servers } = await start([node({ now: 100 }), node(late)])
    expect(await stage.call('eth_blockNumber')).toBe('0x64')
    await servers[0]?.down()
    await expect(stage.call('eth_getLogs', range(0))).rejects.toThrow()
    late.now = 100
    expect(await stage.call('eth_getLogs', range(0))).toEqual([LOG])
  })

  it('are an error, too, where the one that is left is hundreds of blocks behind, and lacks a block that is not new any more', async () => {
    const at =
      (height: number): Answer =>
      ({ method }) => {
        const number = `0x${height.toString(16)}`
        return method === 'eth_getLogs' ? [] : method === 'eth_getBlockByNumber' ? { number } : number
      }
    const { stage, servers } = await start([at(100), at(500)])
    await expect.poll(() => stage.call('eth_blockNumber')).toBe('0x1f4')
    await servers[1]?.down()
    const upTo = (toBlock: string) => stage.call('eth_getLogs', [{ fromBlock: '0x1', toBlock, address: '0x1' }])
    await expect(upTo('0xc8')).rejects.toThrow()
    expect(await upTo('0x64')).toEqual([])
  })

  it('of a hash are final only when there are any: it may be accepted and not executed yet', async () => {
    const late = { now: 99 }
    const { stage, servers } = await start([node(late)])
    const ofBlock = [{ blockHash: LOG.blockHash }]
    expect(await stage.call('eth_getLogs', ofBlock)).toEqual([])
    late.now = 100
    for (let time = 0; time < 3; time += 1) expect(await stage.call('eth_getLogs', ofBlock)).toEqual([LOG])
    expect(asked(servers, 'eth_getLogs')).toBe(2)
  })

  const ofHash = (number: number): unknown[] => [{ blockHash: LOG.blockHash, address: `0x0${number}` }]

  it('of a hash are none only where a node says so that has executed the newest block, alone and in a batch', async () => {
    const late = { now: 99 }
    const OLD = [{ ...LOG, blockNumber: '0x5' }]
    const withOld =
      (answer: Answer): Answer =>
      (call) =>
        (first(call) as { address?: string } | undefined)?.address === '0xold' ? OLD : answer(call)
    const { stage, servers } = await start([withOld(node(late)), node({ now: 100 })])
    expect(await stage.call('eth_blockNumber')).toBe('0x64')
    for (const number of numbers) expect(await stage.call('eth_getLogs', ofHash(number))).toEqual([LOG])
    for (const number of numbers) {
      const batch = [{ jsonrpc: '2.0', id: 1, method: 'eth_getLogs', params: ofHash(10 + number) }]
      expect(JSON.parse((await stage.post(batch)).text)).toMatchObject([{ result: [LOG] }])
    }
    await servers[1]?.down()
    await expect(stage.call('eth_getLogs', ofHash(20))).rejects.toThrow()
    expect(await stage.call('eth_getLogs', [{ blockHash: LOG.blockHash, address: '0xold' }])).toEqual(OLD)
    late.now = 100
    expect(await stage.call('eth_getLogs', ofHash(20))).toEqual([LOG])
  })

  it('of a hash are believed of a node behind the newest block where a chain executes at once: it would not know the block', async () => {
    const plain =
      (number: string): Answer =>
      ({ method }) =>
        method === 'eth_getLogs' ? [] : method === 'eth_getBlockByNumber' ? { number } : number
    const { stage, servers } = await start([plain('0x63'), plain('0x64')])
    expect(await stage.call('eth_blockNumber')).toBe('0x64')
    await servers[1]?.down()
    expect(await stage.call('eth_getLogs', ofHash(0))).toEqual([])
  })

  it.each(['0x65', 'pending'])('a block that is only accepted (%s) is not the newest one', async (block) => {
    const { stage } = await start([
      (call) => {
        if (call.method !== 'eth_getBlockByNumber') return '0x64'
        return { number: first(call) === 'latest' ? '0x64' : '0x65', settledHeight: '0x5a' }
      },
    ])
    expect(await stage.call('eth_getBlockByNumber', [block, false])).toMatchObject({ number: '0x65' })
    expect(await stage.call('eth_blockNumber')).toBe('0x64')
  })
})

describe('what is told of a transaction before its block is executed to the end', () => {
  const TX = { blockHash: `0x${'ab'.repeat(32)}`, blockNumber: '0x65' }

  it.each(['eth_getTransactionReceipt', 'eth_getTransactionByHash'])(
    'shows its block, and not that the node has the state after it: %s',
    async (method) => {
      const node = (): Answer => {
        let [told, looks] = [false, 0]
        return (call) => {
          if (call.method === method) told = true
          if (call.method === method) return TX
          // Executed when it has been looked at twice.
          if (call.method === 'eth_blockNumber') return told && ++looks > 2 ? '0x65' : '0x64'
          if (call.method === 'eth_getBlockByNumber') return { number: '0x64', settledHeight: '0x5a' }
          return looks > 2 ? '0x2' : '0x1'
        }
      }
      const { stage } = await start([node(), node()])
      expect(await stage.call('eth_blockNumber')).toBe('0x64')
      expect(await stage.call('eth_getBalance', ['0x01', 'latest'])).toBe('0x1')
      expect(await stage.call(method, [`0x${'cd'.repeat(32)}`])).toEqual(TX)
      for (let time = 0; time < 6; time += 1)
        expect(await stage.call('eth_getBalance', [`0x0${time}`, 'latest'])).toBe('0x2')
    },
  )
})
