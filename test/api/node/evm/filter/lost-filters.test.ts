import { setImmediate as nextTurn } from 'node:timers/promises'
import { createPublicClient, http, type Log } from 'viem'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createPeerProcesses, type SharedNews } from '../../../../../src/api/node/forward/consistency/peer-processes.ts'
import { createRandom } from '../../../../support/generated/random.ts'
import { eventually } from '../../../../support/waiting/eventually.ts'
import { until } from '../../../../support/waiting/until.ts'
import { type EvmStage, startEvmStage } from '../stage.ts'
import { type FilterNode, hashOf, hex, logOf, startFilterNodes } from './filter-nodes.ts'

const raise = (nodes: readonly FilterNode[], height: number): void => {
  for (const node of nodes) node.height = height
}
const changes = (stage: EvmStage, id: string) => stage.call<unknown[]>('eth_getFilterChanges', [id])
/** Blocks of logs, or of hashes. */
const blocksOf = (told: readonly unknown[]): number[] =>
  told.map((one) =>
    typeof one === 'string' ? Number(`0x${one.slice(-8)}`) : Number((one as { blockNumber: string }).blockNumber),
  )
/** Params of a filter that cannot go on at another node, and waits for its own as long as calls may take. */
const TIED = [{ topics: [Array.from({ length: 40 }, (_, at) => `0x${String(at).padStart(64, '0')}`)] }]
const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, at) => from + at)

describe('a filter whose node is gone', () => {
  it.each([
    ['eth_newFilter', [{}], (from: number, to: number) => range(from, to).filter((height) => height % 2 === 0)],
    ['eth_newBlockFilter', [], range],
  ] as const)('goes on at another, no event twice and none missing: %s', async (method, params, expected) => {
    const { stage, nodes } = await startFilterNodes([100, 100])
    const [first, second] = nodes as [FilterNode, FilterNode]
    const id = await stage.call(method, [...params])
    raise(nodes, 105)
    const told = blocksOf(await changes(stage, id))
    raise(nodes, 110)
    await first.server.down()
    // A block is accepted between the question for the height and the filter's beginning, and one behind it.
    second.after.set('eth_blockNumber', () => raise(nodes, 111))
    second.after.set(method, () => raise(nodes, 112))
    told.push(...blocksOf(await changes(stage, id)))
    raise(nodes, 115)
    told.push(...blocksOf(await changes(stage, id)))
    // Started anew, with a filter of nobody.
    second.restart()
    raise(nodes, 120)
    told.push(...blocksOf(await changes(stage, id)), ...blocksOf(await changes(stage, id)))
    expect(told).toEqual(expected(101, 120))
    expect(await stage.call('eth_uninstallFilter', [id])).toBe(true)
    await expect(changes(stage, id)).rejects.toThrow('filter not found')
  })

  it('and that has told nothing yet, begins where it was made', async () => {
    const { stage, nodes } = await startFilterNodes([100, 100])
    const ids = [await stage.call('eth_newFilter', [{}]), await stage.call('eth_newBlockFilter')]
    await nodes[0]?.server.down()
    raise(nodes, 104)
    expect(blocksOf(await changes(stage, ids[0] as string))).toEqual([102, 104])
    expect(blocksOf(await changes(stage, ids[1] as string))).toEqual(range(101, 104))
  })

  it('hears once of a block whose event comes behind the beginning of the new one', async () => {
    const { stage, nodes } = await startFilterNodes([100, 100])
    const ids = [await stage.call('eth_newFilter', [{}]), await stage.call('eth_newBlockFilter')]
    raise(nodes, 104)
    for (const id of ids) await changes(stage, id)
    await nodes[0]?.server.down()
    for (const node of nodes) node.lateEvents = 1
    expect(await Promise.all(ids.map((id) => changes(stage, id)))).toEqual([[], []])
    raise(nodes, 106)
    expect(blocksOf(await changes(stage, ids[0] as string))).toEqual([106])
    expect(blocksOf(await changes(stage, ids[1] as string))).toEqual([105, 106])
  })

  it('goes on at another where its node stands still and keeps its connections; one that cannot is waited for', async () => {
    const { stage, nodes } = await startFilterNodes([100, 100])
    const [id, tied] = [await stage.call('eth_newBlockFilter'), await stage.call('eth_newFilter', TIED)]
    raise(nodes, 103)
    nodes[0]?.server.set({ hang: 'headers' })
    const moved = changes(stage, id)
    expect(await Promise.race([moved, changes(stage, tied).catch(() => 'given up')])).toEqual(await moved)
    expect(blocksOf(await moved)).toEqual([101, 102, 103])
    raise(nodes, 104)
    expect(blocksOf(await changes(stage, id))).toEqual([104])
  })

  it('goes on at a third where the one that took it over stands still before it has told what was missed', async () => {
    const { stage, nodes } = await startFilterNodes([100, 100, 100])
    const id = await stage.call('eth_newBlockFilter')
    raise(nodes, 103)
    await nodes[0]?.server.down()
    const tied = await stage.call('eth_newFilter', TIED)
    const [, second] = nodes as [FilterNode, FilterNode, FilterNode]
    const waits: Promise<unknown>[] = []
    second.after.set('eth_newBlockFilter', () => {
      second.after.set('eth_blockNumber', () => {
        second.server.set({ hang: 'headers' })
        waits.push(changes(stage, tied).catch(() => 'given up'))
      })
    })
    expect(blocksOf(await changes(stage, id))).toEqual([101, 102, 103])
    expect(await Promise.race([...waits, Promise.resolve('waits')])).toBe('waits')
    raise(nodes, 104)
    expect(blocksOf(await changes(stage, id))).toEqual([104])
  })

  it('waits for its node where there is no other, and goes on there', async () => {
    const { stage, nodes } = await startFilterNodes([100])
    const [node] = nodes as [FilterNode]
    const id = await stage.call('eth_newBlockFilter')
    await node.server.down()
    const { status } = await stage.post({ jsonrpc: '2.0', id: 1, method: 'eth_getFilterChanges', params: [id] })
    expect(status).toBe(502)
    node.restart()
    raise(nodes, 103)
    await node.server.up()
    await expect.poll(async () => blocksOf(await changes(stage, id).catch(() => []))).toEqual([101, 102, 103])
  })

  it('tells no logs but those of its range', async () => {
    const { stage, nodes } = await startFilterNodes([100, 100])
    const id = await stage.call('eth_newFilter', [{ fromBlock: hex(104), toBlock: hex(107) }])
    await nodes[0]?.server.down()
    raise(nodes, 110)
    expect(blocksOf(await changes(stage, id))).toEqual([104, 106])
  })

  it('whose events are rare goes on from the last poll, not from the last event', async () => {
    const { stage, nodes } = await startFilterNodes([100, 100])
    const id = await stage.call('eth_newFilter', [{ fromBlock: hex(2_900) }])
    for (const height of [1_000, 2_000, 2_800]) {
      raise(nodes, height)
      // So that it is known that the filter's node has it.
      while ((await stage.call('eth_blockNumber')) !== hex(height)) await nextTurn()
      expect(blocksOf(await changes(stage, id))).toEqual([])
    }
    await nodes[0]?.server.down()
    raise(nodes, 2_904)
    expect(blocksOf(await changes(stage, id))).toEqual([2_900, 2_902, 2_904])
  })

  it('has all its logs, and what is new is told behind them', async () => {
    const { stage, nodes } = await startFilterNodes([100, 100])
    const id = await stage.call('eth_newFilter', [{ fromBlock: '0x0' }])
    await nodes[0]?.server.down()
    raise(nodes, 104)
    expect(await stage.call<unknown[]>('eth_getFilterLogs', [id])).toHaveLength(53)
    expect(await changes(stage, id)).toEqual([logOf(102), logOf(104)])
    expect(await changes(stage, id)).toEqual([])
  })

  it('of pending transactions hears of those from now on', async () => {
    const { stage, nodes } = await startFilterNodes([100, 100])
    const id = await stage.call('eth_newPendingTransactionFilter')
    await nodes[0]?.server.down()
    expect(await changes(stage, id)).toEqual([])
    expect(nodes[1]?.asked.filter((method) => method !== 'eth_blockNumber')).toEqual([
      'eth_newPendingTransactionFilter',
      'eth_getFilterChanges',
    ])
  })

  it.each([
    ['what was told', 103],
    ['what was before it', 100],
  ])('is not continued by a node that lacks %s: it is waited for', async (_, told) => {
    const { stage, nodes } = await startFilterNodes([100, 98])
    const [first, second] = nodes as [FilterNode, FilterNode]
    const id = await stage.call('eth_newBlockFilter')
    first.height = told
    expect(blocksOf(await changes(stage, id))).toEqual(range(101, told))
    await first.server.down()
    const { status } = await stage.post({ jsonrpc: '2.0', id: 1, method: 'eth_getFilterChanges', params: [id] })
    expect(status).toBe(502)
    second.height = told + 1
    expect(blocksOf(await changes(stage, id))).toEqual([told + 1])
  })

  it.each([
    ['more blocks were missed than are read again', async (nodes: FilterNode[]) => raise(nodes, 1_200), {}],
    [
      'the blocks that were told are none of the other',
      async (nodes: FilterNode[]) => raise(nodes, 106),
      { branches: ['a', 'c'] },
    ],
    [
      'its parameters are too long to be kept',
      async () => undefined,
      { filter: { address: Array(50).fill(`0x${'1'.repeat(40)}`) } },
    ],
  ])(
    'is not found where %s',
    async (_, happens, { branches = ['a', 'a'], filter = {} }: { branches?: string[]; filter?: object } = {}) => {
      const { stage, nodes } = await startFilterNodes([100, 100], { branches })
      const id = await stage.call('eth_newFilter', [filter])
      raise(nodes, 104)
      expect(blocksOf(await changes(stage, id))).toEqual([102, 104])
      await nodes[0]?.server.down()
      await happens(nodes)
      await expect(changes(stage, id)).rejects.toThrow('filter not found')
      await expect(changes(stage, id)).rejects.toThrow('filter not found')
    },
  )

  it('goes on at the node that has the logs of between, not at one that was synced by state behind them', async () => {
    const { stage, nodes } = await startFilterNodes([2_000, 2_000, 2_000])
    const [first, second] = nodes as [FilterNode, FilterNode]
    const id = await stage.call('eth_newFilter', [{}])
    second.from = 2_500
    await first.server.down()
    raise(nodes, 3_000)
    expect(blocksOf(await changes(stage, id))).toHaveLength(500)
  })

  it('tells one client once, whichever process is asked', async () => {
    const { nodes } = await startFilterNodes([100, 100])
    const listeners: ((text: string) => void)[] = []
    const news: SharedNews = {
      tell: (text) => {
        for (const listener of listeners) listener(text)
        return undefined
      },
      listen: (listener) => void listeners.push(listener),
    }
    const open = async (): Promise<EvmStage> => {
      const peers = createPeerProcesses(news)
      const stage = await startEvmStage({ nodes: nodes.map(({ server }) => server.url), peers })
      onTestFinished(stage.close)
      return stage
    }
    const [one, another] = [await open(), await open()]
    const id = await one.call('eth_newBlockFilter')
    raise(nodes, 103)
    expect(blocksOf(await another.call('eth_getFilterChanges', [id]))).toEqual([101, 102, 103])
    await nodes[0]?.server.down()
    raise(nodes, 105)
    expect(blocksOf(await changes(one, id))).toEqual([104, 105])
    raise(nodes, 106)
    expect(blocksOf(await changes(another, id))).toEqual([106])
    expect(await another.call('eth_uninstallFilter', [id])).toBe(true)
    await expect(changes(one, id)).rejects.toThrow('filter not found')
  })

  it.each([1, 2, 3, 4])('tells each event once, whatever its nodes do: seed %i', async (seed) => {
    const { below } = createRandom(seed)
    const { stage, nodes } = await startFilterNodes([100, 100, 100])
    const ids = [await stage.call('eth_newFilter', [{}]), await stage.call('eth_newBlockFilter')] as const
    const told: number[][] = [[], []]
    const isDown = new Set<FilterNode>()
    const poll = async (): Promise<void> => {
      for (const [at, id] of ids.entries())
        told[at]?.push(
          ...blocksOf(
            await changes(stage, id).catch((error: Error) => {
              // It is there, but nobody can say now what it has.
              expect(error.message).not.toContain('not found')
              return []
            }),
          ),
        )
    }
    let newest = 100
    for (let round = 0; round < 40; round += 1) {
      newest += below(3)
      for (const node of nodes) {
        node.height = Math.max(node.height, newest - below(3))
        const happens = below(10)
        if (happens === 0) node.restart()
        if (happens === 1 && isDown.size < 2 && !isDown.has(node)) await node.server.down().then(() => isDown.add(node))
        if (happens >= 7 && isDown.delete(node)) await node.server.up()
      }
      await poll()
    }
    for (const node of isDown) await node.server.up()
    raise(nodes, newest + 1)
    await eventually(() => poll().then(() => expect(told[1]?.at(-1)).toBe(newest + 1)))
    await poll()
    expect(told[1]).toEqual(range(101, newest + 1))
    expect(told[0]).toEqual(range(101, newest + 1).filter((height) => height % 2 === 0))
  })

  it('is nothing that viem hears of: each event comes once', async () => {
    const { stage, nodes } = await startFilterNodes([100, 100])
    const client = createPublicClient({
      transport: http(`${stage.url}/ext/bc/C/rpc`, { retryCount: 0 }),
      pollingInterval: 20,
    })
    const told: Log[] = []
    onTestFinished(client.watchEvent({ poll: true, onLogs: (logs) => void told.push(...logs) }))
    const heard = (height: number) => until(() => told.at(-1)?.blockNumber === BigInt(height), `the log of ${height}`)
    await until(() => nodes[0]?.asked.includes('eth_getFilterChanges') === true, 'the first poll')
    raise(nodes, 104)
    await heard(104)
    await nodes[0]?.server.down()
    raise(nodes, 108)
    await heard(108)
    raise(nodes, 110)
    await heard(110)
    expect(told.map(({ blockNumber }) => Number(blockNumber))).toEqual([102, 104, 106, 108, 110])
    expect(told.at(-1)?.blockHash).toBe(hashOf(110))
  })
})
