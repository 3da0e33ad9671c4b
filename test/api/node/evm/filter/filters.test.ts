import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  createFilterTable,
  FILTER_IDLE_MS,
  type HeldFilter,
} from '../../../../../src/api/node/evm/filter/filter-table.ts'
import { type FaultServer, startFaultServer } from '../../../../support/upstream/fault-server.ts'
import { evmCall, startFront } from '../../fake-nodes.ts'
import { type EvmStage, startEvmStage } from '../stage.ts'

const NOT_YET = '{"code":-32000,"message":"requested from block 16777215 after last accepted block 14"}'

/** Nodes that know only their own filters. */
async function start(): Promise<{ stage: EvmStage; nodes: FaultServer[]; restart(): Promise<EvmStage> }> {
  const nodes = await Promise.all(
    [1, 2, 3].map((number) => {
      const made = new Set<string>()
      const beyond = new Set<string>()
      const withLogs = new Set<string>()
      return startFaultServer({
        handle: (_, body) => {
          if (body.includes('eth_refused')) return { status: 502, body: 'no' }
          const { id, method, params } = JSON.parse(body.toString()) as { id: number; method: string; params: string[] }
          const [filter = ''] = params ?? []
          // A node keeps logs of filters for logs only.
          const known = made.has(filter) && (method !== 'eth_getFilterLogs' || withLogs.has(filter))
          const answer = (member: string) => ({ body: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${member}}\n` })
          if (/^eth_new/.test(method)) {
            const name = `0x${number}${made.size}`
            made.add(name)
            if (body.includes('0xffffff')) beyond.add(name)
            if (method === 'eth_newFilter') withLogs.add(name)
            return answer(`"result":"${name}"`)
          }
          if (method === 'eth_uninstallFilter') return answer(`"result":${made.delete(filter)}`)
          if (!/Filter/.test(method)) return undefined
          if (known && method === 'eth_getFilterLogs' && beyond.has(filter)) return answer(`"error":${NOT_YET}`)
          return answer(known ? `"result":["${number}"]` : '"error":{"code":-32000,"message":"filter not found"}')
        },
      })
    }),
  )
  const open = (): Promise<EvmStage> => startEvmStage({ nodes: nodes.map(({ url }) => url) })
  const stages = [await open()]
  onTestFinished(async () => {
    for (const stage of stages) await stage.close()
    for (const node of nodes) await node.close()
  })
  return {
    stage: stages[0] as EvmStage,
    nodes,
    restart: async () => {
      const again = await open()
      stages.push(again)
      return again
    },
  }
}

describe('filters', () => {
  it.each(['eth_newFilter', 'eth_newBlockFilter', 'eth_newPendingTransactionFilter'])(
    'go back to the node that made them: %s',
    async (method) => {
      const { stage, nodes } = await start()
      const ids: string[] = []
      for (const busy of [0, 1, 2]) {
        // Whoever is slow or in trouble is passed over, so that filters come to be at different nodes.
        nodes.forEach((node, index) => void node.set(index === busy ? {} : { status: 500 }))
        ids.push(await stage.call(method, [{}]))
      }
      for (const node of nodes) node.set()
      expect(ids).toEqual(['0x10', '0x20', '0x30'])
      for (const node of nodes) node.reset()
      for (const id of [...ids, ...ids.reverse()]) {
        expect(await stage.call('eth_getFilterChanges', [id])).toEqual([id[2]])
        const logs = stage.call('eth_getFilterLogs', [id])
        if (method === 'eth_newFilter') expect(await logs).toEqual([id[2]])
        else await expect(logs).rejects.toThrow('filter not found')
      }
      // Nobody is asked about the filters of others.
      const ofOthers = ({ method: asked }: { method: string }): boolean => asked === 'eth_blockNumber'
      const aboutFilters = nodes.map(({ stats }) => stats.requests - stats.seen.filter(ofOthers).length)
      expect(aboutFilters).toEqual([4, 4, 4])
      for (const id of ids) expect(await stage.call('eth_uninstallFilter', [id])).toBe(true)
      for (const id of ids) expect(await stage.call('eth_uninstallFilter', [id])).toBe(false)
    },
  )

  it.each([
    ['eth_newFilter', {}],
    ['eth_getFilterChanges', '0x99'],
  ])('have the time of one call for all nodes together: %s', async (method, parameter) => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const { stage, nodes } = await start()
    await stage.call('eth_blockNumber')
    for (const node of nodes) {
      node.reset()
      node.set(() => {
        vi.setSystemTime(Date.now() + 31_000)
        return { dead: true }
      })
    }
    await stage.post({ jsonrpc: '2.0', id: 1, method, params: [parameter] })
    expect(nodes.reduce((sum, { stats }) => sum + stats.requests, 0)).toBe(1)
  })

  it('of a dead node, made before a restart of this server, are not found, in the words of a node', async () => {
    const { stage: before, nodes, restart } = await start()
    const id = await before.call('eth_newFilter', [{}])
    const maker = nodes[Number(id[2]) - 1]
    const stage = await restart()
    await stage.call('eth_getFilterChanges', [id])
    await maker?.down()
    const { status, text } = await stage.post({ jsonrpc: '2.0', id: 'q', method: 'eth_getFilterChanges', params: [id] })
    expect({ status, text }).toEqual({
      status: 200,
      text: '{"jsonrpc":"2.0","id":"q","error":{"code":-32000,"message":"filter not found"}}\n',
    })
    expect(await stage.call('eth_uninstallFilter', [id])).toBe(false)
    expect(await stage.call('eth_newFilter', [{}])).not.toBe(id)
  })

  it.each([
    ['runs the chain', 404, '404 page not found\n'],
    ['runs it yet', 503, 'API call rejected because chain is not done bootstrapping'],
  ])('where no node %s, that is said, and not that there is no such filter', async (_, status, said) => {
    const front = await startFront(2)
    const headers = { 'content-type': 'text/plain' }
    for (const node of front.nodes)
      node.answer = ({ path }) => (path.endsWith('/rpc') ? { status, headers, body: said } : undefined)
    const [made, id] = [evmCall('eth_newBlockFilter'), '["0x1"]']
    const polled = ['eth_getFilterChanges', 'eth_getFilterLogs', 'eth_uninstallFilter'].map((one) => evmCall(one, id))
    const batches = [`[${evmCall('eth_chainId')},${made}]`, `[${made}]`, `[${polled}]`, `[${polled[2]},${made}]`]
    for (const call of [evmCall('eth_chainId'), made, ...polled, ...batches]) {
      const posted = await front.post('/ext/bc/C/rpc', call)
      expect([posted.status, posted.text], call).toEqual([status, said])
    }
  })

  it('of a node that turns calls away are still there: nobody is told that they are gone', async () => {
    const { stage, nodes } = await start()
    nodes.forEach((node, index) => void node.set(index === 1 ? {} : { status: 500 }))
    const id = await stage.call('eth_newFilter', [{}])
    for (const node of nodes) node.set()
    const ask = (method: string) => stage.post({ jsonrpc: '2.0', id: 1, method, params: [id] })
    nodes[1]?.set({ rateLimited: { retryAfterSeconds: 1 } })
    // The second is refused by the one before it, without a call.
    for (const method of ['eth_getFilterChanges', 'eth_getFilterChanges', 'eth_uninstallFilter']) {
      const { status, text, headers } = await ask(method)
      expect([status, headers.get('retry-after')], text).toEqual([503, '1'])
    }
    nodes[1]?.set()
    await expect.poll(async () => (await ask('eth_getFilterChanges')).text, { timeout: 10_000 }).toContain('["2"]')
  })

  it('of before a restart of this server are not said to be gone while the node that has them turns calls away', async () => {
    const { stage, nodes, restart } = await start()
    nodes.forEach((node, index) => void node.set(index === 1 ? {} : { status: 500 }))
    const id = await stage.call('eth_newFilter', [{}])
    for (const node of nodes) node.set()
    nodes[1]?.set({ rateLimited: { retryAfterSeconds: 1 } })
    const again = await restart()
    const ask = (method: string) => again.post({ jsonrpc: '2.0', id: 1, method, params: [id] })
    for (const method of ['eth_getFilterChanges', 'eth_uninstallFilter']) {
      const { status, text, headers } = await ask(method)
      expect([status, headers.get('retry-after')], text).toEqual([503, '1'])
    }
    nodes[1]?.set()
    await expect.poll(async () => (await ask('eth_getFilterChanges')).text, { timeout: 10_000 }).toContain('["2"]')
  })

  it('of blocks that are not there yet are there, and their node says so', async () => {
    const { stage, restart } = await start()
    const id = await stage.call('eth_newFilter', [{ fromBlock: '0xffffff' }])
    const ask = { jsonrpc: '2.0', id: 7, method: 'eth_getFilterLogs', params: [id] }
    const text = `{"jsonrpc":"2.0","id":7,"error":${NOT_YET}}\n`
    expect(await stage.post(ask)).toMatchObject({ status: 200, text })
    expect(await stage.call('eth_getFilterChanges', [id])).toEqual([id[2]])
    // Also by a server that does not know who made it.
    expect(await (await restart()).post(ask)).toMatchObject({ status: 200, text })
  })

  it('outlive a restart of this server: whoever knows one made it', async () => {
    const { stage, nodes, restart } = await start()
    nodes.forEach((node, index) => void node.set(index === 2 ? {} : { status: 500 }))
    const id = await stage.call('eth_newFilter', [{}])
    for (const node of nodes) node.set()
    const again = await restart()
    expect(await again.call('eth_getFilterChanges', [id])).toEqual(['3'])
    await expect(again.call('eth_getFilterChanges', ['0x99'])).rejects.toThrow('filter not found')
    expect(await again.call('eth_uninstallFilter', [id])).toBe(true)
  })

  it('work inside a batch', async () => {
    const { stage } = await start()
    const id = await stage.call('eth_newFilter', [{}])
    const { text } = await stage.post([
      { jsonrpc: '2.0', id: 1, method: 'eth_odd', params: [] },
      { jsonrpc: '2.0', id: 2, method: 'eth_getFilterChanges', params: [id] },
    ])
    expect(JSON.parse(text)).toMatchObject([{ id: 1 }, { id: 2, result: [id[2]] }])
  })

  it('lose nothing that their node has told because it cannot be told what else a batch asks for', async () => {
    const { stage, nodes } = await start()
    const ids: string[] = []
    for (const busy of [0, 1]) {
      nodes.forEach((node, index) => void node.set(index === busy ? {} : { status: 500 }))
      ids.push(await stage.call('eth_newFilter', [{}]))
    }
    nodes[0]?.set()
    nodes[1]?.set({ rateLimited: { retryAfterSeconds: 1 } })
    const batch = (...methods: [method: string, ...params: unknown[]][]) =>
      stage.post(methods.map(([method, ...params], id) => ({ jsonrpc: '2.0', id, method, params })))
    // A node forgets what it has told: a batch that failed as a whole would have taken it from the client.
    const told = { id: 0, result: ['1'] }
    const unanswered = { id: 1, error: { code: -32603, message: 'no node answered' } }
    const polls = await batch(['eth_getFilterChanges', ids[0]], ['eth_getFilterChanges', ids[1]])
    expect([polls.status, JSON.parse(polls.text)]).toMatchObject([200, [told, unanswered]])
    const mixed = await batch(['eth_getFilterChanges', ids[0]], ['eth_refused'])
    expect([mixed.status, JSON.parse(mixed.text)]).toMatchObject([200, [told, unanswered]])
    // What nobody has told anything of may fail as a whole: a status says more than entries.
    expect((await batch(['eth_getFilterLogs', ids[1]], ['eth_odd'])).status).toBe(503)
  })

  it('are told of when they change, and now and then while they do not; what is heard late does not undo what came behind it', () => {
    let now = 1_000
    const changes: (HeldFilter | undefined)[] = []
    const table = createFilterTable({ now: () => now, onChange: (_path, _id, filter) => changes.push(filter) })
    const other = createFilterTable({ now: () => now })
    const at = ['/ext/bc/C/rpc', '0x1'] as const
    const going = { method: 'eth_newBlockFilter', params: '[]', last: '0x1' }
    table.hold(...at, { host: 'a', id: '0x1', going })
    table.hold(...at, { host: 'b', id: '0x2', going })
    for (const change of [1, 0]) other.heard(...at, changes[change])
    expect(other.find(...at)).toMatchObject({ host: 'b', id: '0x2' })
    expect([...other.newest(5)]).toMatchObject([[...at, { host: 'b' }]])
    expect([...other.newest(0)]).toEqual([])
    // Whose client hears of nothing is not dropped elsewhere.
    for (let polls = 0; polls < 20; polls += 1) {
      now += FILTER_IDLE_MS / 10
      const held = table.find(...at)
      if (held) table.hold(...at, held)
      for (const change of changes.splice(0)) other.heard(...at, change)
      expect(other.find(...at)?.host).toBe('b')
    }
  })

  it('are forgotten when their node has not answered for them as long as it keeps one', () => {
    let now = 1_000
    const table = createFilterTable({ now: () => now })
    table.hold('/ext/bc/C/rpc', '0x1', { host: 'a', id: '0x1' })
    now += FILTER_IDLE_MS - 1
    expect(table.find('/ext/bc/C/rpc', '0x1')?.host).toBe('a')
    expect(table.find('/ext/bc/other/rpc', '0x1')?.host).toBeUndefined()
    table.hold('/ext/bc/C/rpc', '0x1', { host: 'a', id: '0x1' })
    now += FILTER_IDLE_MS - 1
    expect(table.find('/ext/bc/C/rpc', '0x1')?.host).toBe('a')
    // Being asked about does not keep it: a node that turns calls away for hours has dropped it.
    now += 2
    expect(table.find('/ext/bc/C/rpc', '0x1')?.host).toBeUndefined()
  })
})
