import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  type FaultServer,
  type FaultServerOptions,
  startFaultServer,
} from '../../../../support/upstream/fault-server.ts'
import { gate } from '../../../../support/waiting/gate.ts'
import { until } from '../../../../support/waiting/until.ts'
import { type EvmStage, type EvmStageOptions, startEvmStage } from '../stage.ts'

const HASH = `0x${'ab'.repeat(32)}`
const EARLY = '{"jsonrpc":"2.0","id":"early","result":"0x7"}\n'

async function start(
  servers: readonly FaultServerOptions[],
  options: Partial<EvmStageOptions> = {},
): Promise<{ stage: EvmStage; servers: FaultServer[] }> {
  const started = await Promise.all(servers.map((server) => startFaultServer(server)))
  const stage = await startEvmStage({ nodes: started.map(({ url }) => url), ...options })
  onTestFinished(async () => {
    await stage.close()
    await Promise.all(started.map((server) => server.close()))
  })
  return { stage, servers: started }
}

const asked = (server: FaultServer | undefined, method: string): number =>
  server?.stats.seen.filter((call) => call.method === method).length ?? 0

describe('what is kept', () => {
  const answers: Record<string, unknown> = {
    eth_chainId: '0xa869',
    eth_getBlockByHash: { number: '0x5', hash: HASH },
    eth_getTransactionReceipt: { blockHash: HASH, blockNumber: '0x5' },
    eth_getTransactionByHash: { blockHash: null, blockNumber: null },
    eth_getBalance: '0x1',
    eth_getBlockByNumber: { number: '0x5' },
    eth_getCode: '0x60',
    eth_getLogs: [],
  }
  const times = async (params: unknown[], method: string): Promise<number> => {
    const { stage, servers } = await start([
      { answer: (call) => (call.method === 'eth_blockNumber' ? '0x64' : (answers[call.method] ?? [])) },
    ])
    await stage.call('eth_blockNumber')
    await stage.call(method, params)
    await stage.call(method, params)
    return asked(servers[0], method)
  }

  it.each([
    ['eth_chainId', []],
    ['eth_getBlockByHash', [HASH, false]],
    ['eth_getTransactionReceipt', [HASH]],
    ['eth_getBalance', [HASH, '0x5']],
    ['eth_getBalance', [HASH, { blockNumber: '0x64' }]],
    ['eth_getBalance', [HASH, { blockHash: HASH }]],
    ['eth_getBlockByNumber', ['0x5', false]],
    ['eth_getBlockByNumber', ['earliest', false]],
    ['eth_getCode', [HASH, { blockHash: HASH, requireCanonical: true }]],
    ['eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x64' }]],
    ['eth_getLogs', [{ FromBlock: '0x1', TOBLOCK: '0x64' }]],
  ])('%s %j: for good', async (method, params) => {
    expect(await times(params, method)).toBe(1)
  })

  it.each([
    ['a pending transaction', 'eth_getTransactionByHash', [HASH]],
    ['state above the tip', 'eth_getBalance', [HASH, '0x65']],
    ['state of the newest block', 'eth_getBalance', [HASH, 'latest']],
    ['state of a pending block', 'eth_getBalance', [HASH, 'pending']],
    ['state without a block', 'eth_getBalance', [HASH]],
    ['number and hash at once', 'eth_getBalance', [HASH, { blockNumber: '0x5', blockHash: HASH }]],
    ['a number as no node reads it', 'eth_getBalance', [HASH, '0x05']],
    ['a range beyond the tip', 'eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x65' }]],
    ['an open range', 'eth_getLogs', [{ fromBlock: '0x1' }]],
    ['a storage slot that looks like a block', 'eth_getStorageAt', [HASH, '0x0', 'latest']],
    ['a count that looks like a block', 'eth_feeHistory', ['0x4', 'latest', []]],
    ['state of no block', 'eth_getBalance', [HASH, null]],
    ['a range that begins at the tip', 'eth_getLogs', [{ fromBlock: 'latest', toBlock: '0x64' }]],
    ['state of the last accepted block', 'eth_getBalance', [HASH, 'accepted']],
    ['a method of which nothing is known', 'eth_getWork', []],
  ])('%s: not at all', async (_, method, params) => {
    expect(await times(params, method)).toBe(2)
  })

  it('what is final is asked anew after ten minutes: nodes write old blocks in another way after an upgrade', async () => {
    let block: unknown = { number: '0x5', hash: HASH }
    onTestFinished(() => void vi.useRealTimers())
    vi.useFakeTimers({ toFake: ['performance'] })
    // The cache takes a start of 0 for none.
    vi.advanceTimersByTime(1)
    const { stage } = await start([{ answer: (call) => (call.method === 'eth_blockNumber' ? '0x64' : block) }])
    const read = () =>
      Promise.all([stage.call('eth_getBlockByHash', [HASH, false]), stage.call('eth_getBlockByNumber', ['0x5', false])])
    await stage.call('eth_blockNumber')
    const before = await read()
    block = { number: '0x5', hash: HASH, targetExponent: '0x1' }
    vi.advanceTimersByTime(590_000)
    expect(await read()).toEqual(before)
    vi.advanceTimersByTime(10_001)
    expect(await read()).toEqual([block, block])
  })

  it('null is never final, nor is an error', async () => {
    let receipt: unknown = null
    const { stage, servers } = await start([{ answer: () => receipt }])
    expect(await stage.call('eth_getTransactionReceipt', [HASH])).toBeNull()
    receipt = { blockHash: HASH, blockNumber: '0x5' }
    expect(await stage.call('eth_getTransactionReceipt', [HASH])).toEqual(receipt)
    servers[0]?.set({ rpcError: { code: -32000, message: 'boom' } })
    await expect(stage.call('eth_getBlockByHash', [HASH, true])).rejects.toThrow('boom')
    servers[0]?.set()
    expect(await stage.call('eth_getBlockByHash', [HASH, true])).toEqual(receipt)
  })

  it('answers about the tip until a newer block is seen, when that is switched on', async () => {
    const { stage, servers } = await start(
      [
        {
          answer: ({ method }) => {
            if (method === 'eth_blockNumber') return '0x64'
            return method === 'eth_getTransactionReceipt' ? { blockHash: HASH, blockNumber: '0x65' } : '0x7'
          },
        },
      ],
      { tipCacheMs: 60_000 },
    )
    const balance = (): Promise<string> => stage.call('eth_getBalance', [HASH, 'latest'])
    await stage.call('eth_blockNumber')
    await balance()
    await balance()
    expect(asked(servers[0], 'eth_getBalance')).toBe(1)
    // Whoever has seen a receipt must see its block's effects.
    await stage.call('eth_getTransactionReceipt', [HASH])
    await balance()
    expect(asked(servers[0], 'eth_getBalance')).toBe(2)
    await stage.call('eth_sendRawTransaction', ['0x01'])
    await balance()
    expect(asked(servers[0], 'eth_getBalance')).toBe(3)
  })

  it('no answer about the tip that was asked for before a transaction was sent', async () => {
    const held = gate()
    let balance = '0x7'
    const { stage, servers } = await start(
      [
        {
          faults: ({ body }) => (body.includes('"early"') ? { held: held.opened } : {}),
          handle: (_, body) => (body.includes('"early"') ? { body: EARLY } : undefined),
          answer: ({ method }) => (method === 'eth_blockNumber' ? '0x64' : balance),
        },
      ],
      { tipCacheMs: 60_000 },
    )
    await stage.call('eth_blockNumber')
    const early = stage.post({ jsonrpc: '2.0', id: 'early', method: 'eth_getBalance', params: [HASH, 'latest'] })
    await until(() => servers[0]?.stats.inFlight === 1, 'the early question')
    await stage.call('eth_sendRawTransaction', ['0x01'])
    balance = '0x8'
    held.open()
    expect((await early).text).toBe(EARLY)
    expect(await stage.call('eth_getBalance', [HASH, 'latest'])).toBe('0x8')
    balance = '0x9'
    expect(await stage.call('eth_getBalance', [HASH, 'latest'])).toBe('0x8')
  })

  it('ids and spaces are those of each caller', async () => {
    const { stage, servers } = await start([{ answer: () => '0xa869' }])
    const bodies = [
      '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}',
      ' { "id" : "<b>", "method":"eth_chainId","jsonrpc":"2.0"}',
    ]
    const texts = []
    for (const body of bodies) texts.push((await stage.post(body)).text.trim())
    expect(texts).toEqual([
      '{"jsonrpc":"2.0","id":1,"result":"0xa869"}',
      '{"jsonrpc":"2.0","id":"\\u003cb\\u003e","result":"0xa869"}',
    ])
    expect(asked(servers[0], 'eth_chainId')).toBe(1)
  })

  it.each(['{"jsonrpc":"2.0","id":1,"method":"eth_chainId","x":}', '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"'])(
    'what is no JSON is not answered from the cache: %s',
    async (body) => {
      const { stage } = await start([{ answer: () => '0xa869' }])
      await stage.call('eth_chainId')
      expect((await stage.post(body)).text).toBe(
        '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}',
      )
    },
  )
})

describe('nodes that lag', () => {
  const chain = (height: number): FaultServerOptions => ({
    height: BigInt(height),
    answer: (call) => {
      if (call.method === 'eth_blockNumber') return `0x${height.toString(16)}`
      if (call.method === 'eth_getBlockByNumber') return { number: `0x${height.toString(16)}` }
      return call.method === 'eth_getTransactionReceipt' && height < 100 ? null : { blockHash: HASH, at: height }
    },
  })

  it('nobody is told an old tip, also not the first one who asks', async () => {
    for (let round = 0; round < 3; round += 1) {
      // The laggard is the faster one.
      const { stage } = await start([chain(90), { ...chain(100), faults: { latencyMs: 50 } }])
      const seen = await Promise.all(Array.from({ length: 10 }, () => stage.call('eth_blockNumber')))
      expect(new Set(seen)).toEqual(new Set(['0x64']))
      const block = await stage.call<{ number: string }>('eth_getBlockByNumber', ['latest', false])
      expect(block.number).toBe('0x64')
      expect(await stage.call('eth_getBalance', [HASH, 'latest'])).toMatchObject({ at: 100 })
    }
  })

  it('a node that falls behind is found out by what others show, not only by the next look at it', async () => {
    const heights = [100, 100]
    const { stage } = await start(
      heights.map((_, index) => ({
        answer: ({ method }) => {
          const height = `0x${heights[index]?.toString(16)}`
          if (method === 'eth_blockNumber') return height
          if (method === 'eth_getBlockByNumber') return { number: height }
          if (method !== 'eth_getTransactionReceipt') return { at: height }
          return index === 1 && height !== '0x64' ? { blockHash: HASH, blockNumber: height } : null
        },
      })),
    )
    expect(await stage.call('eth_blockNumber')).toBe('0x64')
    heights[1] = 101
    await stage.call('eth_getTransactionReceipt', [HASH])
    expect(await stage.call('eth_getBlockByNumber', ['latest', false])).toEqual({ number: '0x65' })
    heights[1] = 110
    await stage.call('eth_getTransactionReceipt', [`0x${'cd'.repeat(32)}`])
    expect(await stage.call('eth_getBlockByNumber', ['latest', false])).toEqual({ number: '0x6e' })
    expect(await stage.call('eth_blockNumber')).toBe('0x6e')
    expect(await stage.call('eth_getBalance', [HASH, 'latest'])).toEqual({ at: '0x6e' })
  })

  it('the number of the newest block does not fall when only a laggard is left', async () => {
    const { stage, servers } = await start([chain(100), chain(99)])
    expect(await stage.call('eth_blockNumber')).toBe('0x64')
    await servers[0]?.down()
    for (let count = 0; count < 3; count += 1) expect(await stage.call('eth_blockNumber')).toBe('0x64')
    const { text } = await stage.post([
      { jsonrpc: '2.0', id: 'a', method: 'eth_blockNumber', params: [] },
      { jsonrpc: '2.0', id: 'b', method: 'eth_gasPrice', params: [] },
    ])
    expect(JSON.parse(text)).toMatchObject([{ id: 'a', result: '0x64' }, { id: 'b' }])
  })

  it('null is not believed before another node was asked', async () => {
    const { stage } = await start([chain(99), chain(100)])
    expect(await stage.call('eth_getTransactionReceipt', [HASH])).toMatchObject({ at: 100 })
    const { text } = await stage.post([
      { jsonrpc: '2.0', id: 1, method: 'eth_getTransactionReceipt', params: [`0x${'cd'.repeat(32)}`] },
    ])
    expect(JSON.parse(text)).toMatchObject([{ result: { at: 100 } }])
    const pending = [`0x${'ef'.repeat(32)}`]
    expect(await stage.call('eth_getTransactionReceipt', pending)).toMatchObject({ at: 100 })
  })

  it.each(['cannot query unfinalized data', 'requested to block 100 after last accepted block 90'])(
    '"%s" is what a node says that is behind',
    async (message) => {
      const { stage, servers } = await start([chain(100), chain(100)])
      await stage.call('eth_blockNumber')
      servers[0]?.set({ rpcError: { code: -32000, message, methods: ['eth_call', 'eth_getLogs'] } })
      expect(await stage.call('eth_call', [{}, '0x64'])).toMatchObject({ at: 100 })
      expect(await stage.call('eth_getLogs', [{ toBlock: '0x64' }])).toMatchObject({ at: 100 })
      servers[1]?.set({ rpcError: { code: -32000, message, methods: ['eth_call', 'eth_getLogs'] } })
      await expect(stage.call('eth_call', [{ to: HASH }, '0x65'])).rejects.toThrow(message)
    },
  )
})
