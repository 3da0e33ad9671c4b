import { expect, it, onTestFinished } from 'vitest'
import { type SeenCall, startFaultServer } from '../../../../support/upstream/fault-server.ts'
import { startEvmStage } from '../stage.ts'
import { ALL, answerOf, HASH, NOTHING, start, startWith } from './state-synced-nodes.ts'

const OLD: readonly [method: string, params: unknown[]][] = [
  ['eth_getRawTransactionByHash', [HASH]],
  ['eth_getRawTransactionByBlockNumberAndIndex', ['0x5', '0x0']],
  ['eth_feeHistory', ['0x1', '0xa', []]],
]

it.each(OLD)('%s: that there is nothing is believed when the other has nothing either', async (method, params) => {
  for (const full of [0, 1]) {
    const { stage } = await start(2, full)
    expect(await stage.call(method, params)).toEqual(ALL[method])
    const batch = { jsonrpc: '2.0', id: 1, method, params: [...params, full] }
    expect(JSON.parse((await stage.post([batch])).text)).toMatchObject([{ result: ALL[method] }])
  }
  const { stage } = await start(2, -1)
  expect(await stage.call(method, params)).toEqual(NOTHING[method])
})

it.each(OLD)('%s: that there is nothing is not kept, as one that has it may come back', async (method, params) => {
  const { stage, servers } = await start(2, 1)
  await servers[1]?.down()
  expect(await stage.call(method, params)).toEqual(NOTHING[method])
  await servers[1]?.up()
  await expect.poll(() => stage.call(method, params)).toEqual(ALL[method])
})

it('a block below the tip is asked of all, however many have not got it', async () => {
  const { stage } = await start(4, 3)
  expect(await stage.call('eth_getBlockByNumber', ['0x5', false])).toEqual({ number: '0x5' })
})

it.each([
  'not found',
  'header not found',
  'block #5 not found',
  'transaction not found',
  'historical proof query not allowed: block number 5 is before the oldest allowed block number 877 (window of 32 blocks)',
  'required historical state unavailable (reexec=128)',
  // As geth says it.
  'historical state 197e625e06733f288535c0b41d266082 is not available',
  "state histories haven't been fully indexed yet",
  'missing trie node 0a (path ) state 0x0a is not available',
  'pruned history unavailable',
  'failed to get logs for block #807 (0xfebacb..270bd2)',
  'transaction indexing is in progress',
  'finalized block not found',
  'safe header not found',
  'block body not found',
  'header found, but block body is missing',
  'block range extends beyond current head block',
  'request beyond head block: requested 101, head 100',
  // As Erigon and reth say it.
  'old data not available due to pruning',
  'no state found for block number 49107280',
  'requested too many blocks from 2 to 200, maximum is set to 50',
  'gas required exceeds allowance (60000)',
  'the method debug_traceTransaction does not exist/is not available',
])('"%s": another node is asked, for single entries of batches, too', async (message) => {
  for (const lacking of [0, 1]) {
    const { stage, servers } = await start(2, 1 - lacking)
    const methods = ['eth_getLogs', 'debug_traceTransaction']
    servers[lacking]?.set({ rpcError: { code: -32000, message, methods } })
    for (const method of methods) expect(await stage.call(method, [{ from: '0x1' }])).toBe('0x64')
    const batch = [...methods, 'eth_gasPrice'].map((method, id) => ({ jsonrpc: '2.0', id, method, params: [{ id }] }))
    const { text } = await stage.post(batch)
    expect(JSON.parse(text)).toMatchObject([
      { id: 0, result: '0x64' },
      { id: 1, result: '0x64' },
      { id: 2, result: '0x64' },
    ])
    for (const server of servers) server.set({ rpcError: { code: -32000, message, methods } })
    await expect(stage.call('eth_getLogs', [{ address: '0x2' }])).rejects.toThrow(message)
    expect(JSON.parse((await stage.post(batch)).text)).toMatchObject([{ error: { message } }, {}, { result: '0x64' }])
  }
})

it('what one node refuses for its size is asked of another; what all refuse is told', async () => {
  for (const small of [0, 1]) {
    const { stage, servers } = await start(2, 1 - small)
    servers[small]?.set({ status: 413 })
    expect(await stage.call('eth_call', [{ data: '0x00' }, 'latest'])).toBe('0x64')
    for (const server of servers) server.set({ status: 413 })
    const { status } = await stage.post({ jsonrpc: '2.0', id: 1, method: 'eth_call', params: [{}, 'latest'] })
    expect(status).toBe(413)
  }
})

it('that there are no logs is not believed of a node that was synced by state, before it began and 256 blocks on', async () => {
  const began = 1_500
  for (const synced of [0, 1]) {
    const answerAt = (index: number, { method, params }: SeenCall): unknown => {
      const [first] = params as [unknown]
      if (method === 'eth_getBlockByNumber')
        return index === synced && Number(first) < began - 255 ? null : { number: first }
      if (method === 'eth_getLogs')
        return index === synced && Number((first as { fromBlock: string }).fromBlock) <= began ? [] : [index]
      return undefined
    }
    const { stage, servers } = await startWith(2, answerAt, 2_000n)
    for (const [index, fromBlock] of ['0x2', '0x4e2', '0x5dc'].entries()) {
      const asked = { fromBlock, toBlock: '0x7c0', address: `0x0${index}` }
      expect(await stage.call('eth_getLogs', [asked])).toEqual([1 - synced])
      const batch = [{ jsonrpc: '2.0', id: 1, method: 'eth_getLogs', params: [{ ...asked, toBlock: 'latest' }] }]
      expect(JSON.parse((await stage.post(batch)).text)).toMatchObject([{ result: [1 - synced] }])
    }
    // What it has it is believed about; the rest is an error, as a scanner that is told of no logs never comes back.
    await servers[1 - synced]?.down()
    await expect(stage.call('eth_getLogs', [{ fromBlock: '0x2', toBlock: '0x7c0', address: '0x9' }])).rejects.toThrow()
    const calls = [
      ['eth_getLogs', [{ fromBlock: '0x2', toBlock: '0x7c0' }]],
      ['eth_gasPrice', []],
    ] as const
    const batch = calls.map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params }))
    expect(JSON.parse((await stage.post(batch)).text)).toMatchObject([{ error: { code: -32_603 } }, { id: 1 }])
    expect(await stage.call('eth_getLogs', [{ fromBlock: '0x708', toBlock: '0x710' }])).toEqual([synced])
  }
})

it('that there are no logs is passed on where all nodes were synced by state: nobody can add any', async () => {
  const answerAt = (_: number, { method, params }: SeenCall): unknown => {
    const [first] = params as [unknown]
    if (method === 'eth_getBlockByNumber') return Number(first) < 1_245 ? null : { number: first }
    return method === 'eth_getLogs' ? [] : undefined
  }
  const { stage, servers } = await startWith(2, answerAt, 2_000n)
  const asked = { fromBlock: '0x2', toBlock: '0x7c0' }
  const times = (): number =>
    servers.reduce((sum, { stats }) => sum + stats.seen.filter(({ method }) => method === 'eth_getLogs').length, 0)
  expect(await stage.call('eth_getLogs', [asked])).toEqual([])
  const before = times()
  expect(await stage.call('eth_getLogs', [asked])).toEqual([])
  // It is not kept: a node with all blocks may stand beside them at any time.
  expect(times()).toBeGreaterThan(before)
  const batch = [{ jsonrpc: '2.0', id: 1, method: 'eth_getLogs', params: [{ ...asked, address: '0x1' }] }]
  expect(JSON.parse((await stage.post(batch)).text)).toMatchObject([{ result: [] }])
})

it('that there are no logs is not believed where the filter names its range in other letters either, which nodes read alike', async () => {
  for (const synced of [0, 1]) {
    const answerAt = (index: number, { method, params }: SeenCall): unknown => {
      const [first] = params as [unknown]
      if (method === 'eth_getBlockByNumber') return index === synced && Number(first) < 1_245 ? null : { number: first }
      return method === 'eth_getLogs' ? (index === synced ? [] : [index]) : undefined
    }
    const { stage } = await startWith(2, answerAt, 2_000n)
    expect(await stage.call('eth_getLogs', [{ FromBlock: '0x2', TOBLOCK: '0x7c0' }])).toEqual([1 - synced])
  }
})

it('that a block to come is not there takes no logs from a node that was synced by state', async () => {
  const answerAt = (index: number, { method, params }: SeenCall): unknown => {
    const [first] = params as [unknown]
    if (method === 'eth_getBlockByNumber')
      return Number(first) < 1_000 || Number(first) > 2_000 ? null : { number: first }
    return method === 'eth_getLogs' ? [index] : undefined
  }
  const { stage, servers } = await startWith(2, answerAt, 2_000n)
  await stage.call('eth_blockNumber')
  await stage.call('eth_getLogs', [{ fromBlock: '0x7fffffffffffffff', toBlock: 'latest' }])
  const before = servers.map(({ stats }) => stats.seen.filter(({ method }) => method === 'eth_getLogs').length)
  const asked = [{ fromBlock: '0x708', toBlock: '0x710' }]
  for (let time = 0; time < 3; time++) await stage.call('eth_getLogs', asked)
  // One is asked, once: it is believed, and what it said is kept.
  const after = servers.map(({ stats }) => stats.seen.filter(({ method }) => method === 'eth_getLogs').length)
  expect(after.reduce((sum, count, index) => sum + count - (before[index] ?? 0), 0)).toBe(1)
})

it('a filter whose logs begin long ago is made at a node that has them', async () => {
  for (const synced of [0, 1]) {
    const answerAt = (index: number, { method, params }: SeenCall): unknown => {
      const [first] = params as [unknown]
      if (method === 'eth_getBlockByNumber') return index === synced && Number(first) < 1_200 ? null : { number: first }
      if (method === 'eth_newFilter') return `0x${index}${'0'.repeat(31)}`
      return method === 'eth_getFilterLogs' ? [index] : undefined
    }
    const { stage, servers } = await startWith(2, answerAt, 2_000n)
    const id = await stage.call('eth_newFilter', [{ fromBlock: '0x2' }])
    expect(await stage.call('eth_getFilterLogs', [id])).toEqual([1 - synced])
    // At the other one it would leave out logs without a word.
    await servers[1 - synced]?.down()
    await expect(stage.call('eth_newFilter', [{ fromBlock: '0x2' }])).rejects.toThrow()
    expect(await stage.call('eth_newFilter', [{ fromBlock: '0x708' }])).toMatch(/^0x/)
  }
})

it('what is known by its hash is asked of one that has all, however many were synced by state', async () => {
  for (const full of [0, 1, 2, 3]) {
    const answerAt = (index: number, { method, params }: SeenCall): unknown => {
      const [first] = params as [unknown]
      if (method === 'eth_getBlockByNumber') return index === full ? { number: first } : null
      if (method === 'eth_getTransactionReceipt')
        return index === full && first === HASH ? { blockHash: HASH, blockNumber: '0x5' } : null
      return undefined
    }
    const { stage, servers } = await startWith(4, answerAt, 2_000n)
    await stage.call('eth_blockNumber')
    expect(await stage.call('eth_getTransactionReceipt', [HASH])).toMatchObject({ blockNumber: '0x5' })
    const batch = [{ jsonrpc: '2.0', id: 1, method: 'eth_getTransactionReceipt', params: [HASH, full] }]
    expect(JSON.parse((await stage.post(batch)).text)).toMatchObject([{ result: { blockNumber: '0x5' } }])
    expect(await stage.call('eth_getTransactionReceipt', [`0x${'cd'.repeat(32)}`])).toBeNull()
    await servers[full]?.down()
    expect(await stage.call('eth_getTransactionReceipt', [`0x${'ef'.repeat(32)}`])).toBeNull()
  }
})

it('who does not run the chain is not asked which blocks it has', async () => {
  let looks = 0
  const faults = ({ body }: { body: string }) => {
    looks += body.includes('eth_getBlockByNumber') ? 1 : 0
    return { status: 404 }
  }
  const servers = await Promise.all([
    startFaultServer({ faults }),
    startFaultServer({ faults }),
    startFaultServer({ answer: answerOf({ ...ALL, eth_getLogs: [], eth_blockNumber: '0x1388' }) }),
  ])
  const stage = await startEvmStage({ nodes: servers.map(({ url }) => url) })
  onTestFinished(async () => {
    await stage.close()
    await Promise.all(servers.map((server) => server.close()))
  })
  const logs = (from: number) => stage.call('eth_getLogs', [{ fromBlock: `0x${from.toString(16)}`, toBlock: '0x900' }])
  await logs(0x400)
  const before = looks
  for (let from = 0x401; from < 0x40a; from += 1) await logs(from)
  expect(looks).toBe(before)
})
