import { expect, it, onTestFinished } from 'vitest'
import { JsonRpcError } from '../../../src/errors.ts'
import { createEvmBlockReader } from '../../../src/indexer/evm/evm-reader.ts'
import type { RpcBlock, RpcReceipt } from '../../../src/indexer/evm/rpc-block.ts'
import { createCHeightApi } from '../../../src/indexer/primary/sources/height-api.ts'
import { recordedLines } from '../../support/recorded/recordings.ts'
import type { Faults } from '../../support/upstream/fault-server.ts'
import { startTestPool } from '../../support/upstream/upstream-pool.ts'

const facts = recordedLines<{ block: RpcBlock; receipts: RpcReceipt[] }>('c-blocks')
  .filter(({ receipts }) => receipts.length > 0)
  .slice(0, 8)
const { signal } = new AbortController()

/** @param wholeBlocks whether it has receipts of whole blocks */
const archive = (wholeBlocks: boolean) => ({
  answer: ({ method, params }: { method: string; params: unknown }) => {
    const [what] = params as [string]
    if (method === 'eth_getBlockByNumber') return facts.find(({ block }) => block.number === what)?.block ?? null
    if (method === 'eth_getBlockReceipts')
      return wholeBlocks ? (facts.find(({ block }) => block.number === what)?.receipts ?? null) : null
    if (method === 'eth_getTransactionReceipt')
      return facts.flatMap(({ receipts }) => receipts).find(({ transactionHash }) => transactionHash === what) ?? null
    return '0x'
  },
})

it.each([true, false])(
  'blocks that a state-synced node lacks are asked of the next, receipts of blocks: %s',
  async (whole) => {
    // Two of them come first, and say of all that is old that it is not there.
    const { pool } = await startTestPool([{ answer: () => null }, { answer: () => null }, archive(whole)])
    onTestFinished(() => pool.close())
    const reader = createEvmBlockReader(pool, '/')
    const found = await reader.read(
      facts.map(({ block }) => ({ height: BigInt(block.number), id: block.hash.slice(2) })),
      signal,
    )
    expect(found.map(({ block, receipts }) => ({ block, receipts }))).toEqual(
      facts.map(({ block, receipts }) => ({ block, receipts })),
    )
    expect(await reader.hashAt(BigInt(facts[0]?.block.number ?? 0), signal)).toBe(facts[0]?.block.hash.slice(2))
  },
)

it('receipts that one node refuses although it has the block are asked of the next', async () => {
  const whole = archive(true)
  const answer = (call: { method: string; params: unknown }) =>
    call.method === 'eth_getBlockByNumber' ? whole.answer(call) : null
  const rpcError = { code: -32_000, message: 'receipts length mismatch: 1 vs 0', methods: ['eth_getBlockReceipts'] }
  const { pool } = await startTestPool([{ answer, faults: { rpcError } }, whole])
  onTestFinished(() => pool.close())
  const wanted = facts.map(({ block }) => ({ height: BigInt(block.number), id: block.hash.slice(2) }))
  const found = await createEvmBlockReader(pool, '/').read(wanted, signal)
  expect(found.map(({ receipts }) => receipts)).toEqual(facts.map(({ receipts }) => receipts))
})

it('receipts of whole blocks are asked for again behind a server that called a block it lacked wrong parameters', async () => {
  const singly: string[] = []
  const whole = archive(true)
  const answer = (call: { method: string; params: unknown }) => {
    if (call.method === 'eth_getTransactionReceipt') singly.push(call.method)
    return whole.answer(call)
  }
  // As zkSync's server does.
  const rpcError = {
    code: -32_602,
    message: "Block with such an ID doesn't exist yet",
    methods: ['eth_getBlockReceipts'],
  }
  const faults: Faults = { rpcError }
  const { pool } = await startTestPool([{ answer, faults }])
  onTestFinished(() => pool.close())
  const reader = createEvmBlockReader(pool, '/')
  const wanted = facts.map(({ block }) => ({ height: BigInt(block.number), id: block.hash.slice(2) }))
  await expect(reader.read(wanted, signal)).rejects.toThrow("doesn't exist")
  delete faults.rpcError
  expect(await reader.read(wanted, signal)).toHaveLength(facts.length)
  expect(singly).toEqual([])
})

it('a block that nobody has is not there yet', async () => {
  const { pool } = await startTestPool([{ answer: () => null }, { answer: () => null }])
  onTestFinished(() => pool.close())
  const reader = createEvmBlockReader(pool, '/')
  await expect(reader.read([{ height: 7n }], signal)).rejects.toThrow('block 7 is not there yet')
  expect(await reader.hashAt(7n, signal)).toBeUndefined()
})

it('blocks of C that are read by height and that one node lacks are asked of the next', async () => {
  const [first] = facts
  const height = BigInt(first?.block.number ?? 0)
  const both = await startTestPool([{ answer: () => null }, archive(true)])
  onTestFinished(() => both.pool.close())
  expect((await createCHeightApi(both.pool).block(height, signal)).id).toBe(first?.block.hash.slice(2))
  const none = await startTestPool([{ answer: () => null }, { answer: () => null }])
  onTestFinished(() => none.pool.close())
  await expect(createCHeightApi(none.pool).block(height, signal)).rejects.toThrow(`no node has block ${height} of C`)
})

it('receipts of whole blocks are asked for again where the node that has them was away', async () => {
  let isAway = true
  let now = 1_000
  const whole = archive(true)
  const asked: string[] = []
  const answer = (call: { method: string; params: unknown }) => {
    asked.push(call.method)
    return whole.answer(call)
  }
  const { pool } = await startTestPool([{ answer }])
  onTestFinished(() => pool.close())
  const rpc = (path: string, method: string, params: never, options: never) =>
    isAway && method === 'eth_getBlockReceipts'
      ? Promise.reject(new JsonRpcError('the method eth_getBlockReceipts does not exist', -32_601))
      : pool.rpc(path, method, params, options)
  const reader = createEvmBlockReader({ ...pool, rpc } as typeof pool, '/', { now: () => now })
  const read = async () => {
    asked.length = 0
    await reader.read([{ height: BigInt(facts[0]?.block.number ?? 0) }], signal)
    return asked.filter((method) => method.includes('Receipt'))
  }
  expect(new Set(await read())).toEqual(new Set(['eth_getTransactionReceipt']))
  isAway = false
  expect(new Set(await read())).toEqual(new Set(['eth_getTransactionReceipt']))
  now += 600_000
  expect(await read()).toEqual(['eth_getBlockReceipts'])
})

it('receipts of whole blocks are still asked for where one server lacks the method and another those of one block', async () => {
  const [pruned] = facts
  const whole = archive(true)
  const asked: string[] = []
  const some = (call: { method: string; params: unknown }) => {
    asked.push(call.method)
    const isPruned = call.method === 'eth_getBlockReceipts' && (call.params as [string])[0] === pruned?.block.number
    return isPruned ? null : whole.answer(call)
  }
  const rpcError = { code: -32_601, message: 'method not found', methods: ['eth_getBlockReceipts'] }
  const { pool } = await startTestPool([{ answer: some }, { ...whole, faults: { rpcError } }])
  const reader = createEvmBlockReader(pool, '/')
  for (const { block, receipts } of facts.slice(0, 2)) {
    asked.length = 0
    const [found] = await reader.read([{ height: BigInt(block.number) }], signal)
    expect(found?.receipts).toEqual(receipts)
  }
  expect(asked.filter((method) => method.includes('Receipt'))).toEqual(['eth_getBlockReceipts'])
})
