import { expect, it, onTestFinished } from 'vitest'
import { atomicParties } from '../../../src/indexer/evm/atomic-parties.ts'
import { createEvmLayer, createEvmStream } from '../../../src/indexer/evm/index.ts'
import type { RpcBlock, RpcReceipt } from '../../../src/indexer/evm/rpc-block.ts'
import type { TransactionTrace } from '../../../src/indexer/evm/value-flow.ts'
import type { EvmTracesLater } from '../../../src/store/rows/index.ts'
import { createUpstreamPool } from '../../../src/upstream/index.ts'
import { recordedLines } from '../../support/recorded/recordings.ts'
import { type FaultServer, startFaultServer } from '../../support/upstream/fault-server.ts'
import { TEST_LIMITS } from '../../support/upstream/upstream-pool.ts'
import { eventually } from '../../support/waiting/eventually.ts'
import { dumpTable } from '../database-dump.ts'
import { startLyingProxy } from '../lying-proxy.ts'
import { makeIndexer, startStage } from '../stage.ts'
import { startStreamStage } from './evm-stage.ts'

interface Recorded {
  block: RpcBlock
  receipts: RpcReceipt[]
}
const blocksOfC = recordedLines<Recorded>('c-blocks')
const traces = recordedLines<{ height: number; traces: TransactionTrace[] }>('c-traces')

const NOBODY = Buffer.from('{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"the method does not exist"}}')

it('what contracts sent on C while no node traced is there as if one had, as soon as one does', async () => {
  const nodes = [{ upTo: { C: 150 } }]
  const options = { nodes, chains: ['C'], evm: 'auto' } as const
  const state = { traces: false, url: '' }
  const stage = await startStage({
    ...options,
    urls: async ([node]) => {
      const proxy = await startLyingProxy(node?.url ?? '', (truth, { body }) =>
        body.includes('debug_') && !state.traces ? withIdOf(NOBODY, body) : truth,
      )
      onTestFinished(() => proxy.stop())
      state.url = proxy.url
      return [proxy.url]
    },
  })
  const whole = await startStage({ ...options, evm: 'required' })
  await Promise.all([stage.caughtUp(), whole.caughtUp()])
  const participants = await dumpTable(whole.sql, 'evm_participant')
  expect((await dumpTable(stage.sql, 'evm_participant')).length).toBeLessThan(participants.length)
  const notes = () => stage.indexer.status().streams[0]?.notes
  await eventually(async () =>
    expect(notes()).toEqual([
      'what contracts send is not indexed: no node traces it',
      expect.stringMatching(/^what contracts sent is missing of up to \d+ blocks: nodes are asked again$/),
    ]),
  )
  await stage.indexer.stop()

  state.traces = true
  // As another process would begin: what a pool knows of its servers' methods is forgotten.
  const pool = createUpstreamPool('again', [{ url: state.url }], TEST_LIMITS)
  const again = makeIndexer(options, pool, stage.store)
  onTestFinished(async () => {
    await again.stop()
    await pool.close()
  })
  again.start()
  await eventually(async () => expect(await stage.sql('select * from evm_untraced')).toEqual([]))
  expect(await dumpTable(stage.sql, 'evm_participant')).toEqual(participants)
  await eventually(async () => expect(again.status().streams[0]).toMatchObject({ phase: 'following', notes: [] }))
  expect(await whole.sql('select * from evm_untraced')).toEqual([])
})

/** Answers of servers carry the id that they were asked with. */
const withIdOf = (answer: Buffer, body: string): Buffer =>
  Buffer.from(JSON.stringify({ ...JSON.parse(answer.toString()), id: JSON.parse(body).id }))

async function startNode(blocks: readonly Recorded[]): Promise<FaultServer> {
  const server = await startFaultServer({
    answer({ method, params }) {
      const [what] = params as [string]
      const found = blocks.find(({ block }) => block.number === what)
      if (method === 'eth_chainId') return '0xa869'
      if (method === 'eth_getBlockByNumber') return (what === 'latest' ? blocks.at(-1) : found)?.block ?? null
      if (method === 'eth_getBlockReceipts') return found?.receipts ?? null
      if (method === 'debug_traceBlockByNumber')
        return traces.find(({ height }) => BigInt(height) === BigInt(what))?.traces ?? []
      return '0x'
    },
  })
  onTestFinished(() => server.close())
  return server
}

const imports = blocksOfC.filter(({ block: { blockExtraData = '0x' } }) => blockExtraData.length > 2).slice(0, 8)

/**
 * Accounts that are added to these blocks when they are traced later; undefined while they are not complete.
 * @param first what the node that is asked first tells of them
 */
async function addedLater(blocks: readonly Recorded[], first = blocks): Promise<string[] | undefined> {
  const servers = await Promise.all([first, blocks].map(startNode))
  const urls = servers.map(({ url }) => ({ url }))
  const pool = createUpstreamPool('imports', first === blocks ? urls.slice(0, 1) : urls, TEST_LIMITS)
  onTestFinished(() => pool.close())
  const filled: EvmTracesLater[] = []
  const layer = createEvmLayer(pool, '', {
    traces: 'auto',
    writer: {
      untraced: async () => ({
        blocks: blocks.map(({ block }) => ({ height: BigInt(block.number), blockId: block.hash.slice(2) })),
        missing: BigInt(blocks.length),
      }),
      fillTraces: async (_, later) => void filled.push(later),
    },
  })
  await layer.mend?.('testnet:C', new AbortController().signal)
  return filled[0]?.participants.map(({ address }) => address)
}

it('whom imports to C give to, and exports take from, comes along, as a database of before lacks them', async () => {
  const named = imports.flatMap(({ block: { blockExtraData = '0x' } }) =>
    atomicParties(Buffer.from(blockExtraData.slice(2), 'hex')),
  )
  expect(named.length).toBeGreaterThan(7)
  expect(await addedLater(imports)).toEqual(expect.arrayContaining(named))
})

const withExtraData = ({ block: { blockExtraData: _, ...block }, receipts }: Recorded, told?: string): Recorded => ({
  block: { ...block, ...(told === undefined ? {} : { blockExtraData: told }) },
  receipts,
})

it.each(['0x', undefined])(
  'a block of C does not count as complete without the extra data that its header names: %s',
  async (told) => {
    expect(await addedLater(imports.slice(0, 1).map((one) => withExtraData(one, told)))).toBeUndefined()
  },
)

it.each(['0x', undefined])('where a node leaves out extra data of C, another is asked for it: %s', async (told) => {
  const lacking = imports.map((one) => withExtraData(one, told))
  expect(await addedLater(imports, lacking)).toEqual(await addedLater(imports))
})

it('what contracts sent on another chain while that was switched off comes when it is switched on', async () => {
  const blocks = blocksOfC.slice(0, 60)
  const [tip] = blocks.slice(-1)
  const server = await startNode(blocks)
  let policy: 'off' | 'auto' = 'off'
  const stage = await startStreamStage('eip155:43113', server.url, (pool, store) =>
    createEvmStream({
      definition: { name: 'eip155:43113', kind: 'evm', testnet: true, evmChainId: 43_113n },
      pool,
      path: '',
      traces: policy,
      writer: store.writer,
    }),
  )
  await stage.at(tip?.block as RpcBlock)
  const receiver = '667f60b5ad922be23681e0171e050960135c77c8'
  expect(await stage.store.reader.evm.chainsOf(receiver)).toEqual([])
  expect(stage.indexer.status().streams[0]?.notes).toEqual([])
  expect(server.stats.seen.some(({ method }) => method.startsWith('debug_'))).toBe(false)
  await stage.indexer.stop()
  policy = 'auto'
  stage.again()
  await eventually(async () => expect(await stage.store.reader.evm.chainsOf(receiver)).toEqual([43_113n]))
  await eventually(async () => expect(await stage.sql('select * from evm_untraced')).toEqual([]))
})
