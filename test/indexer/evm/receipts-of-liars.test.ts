import { expect, it, onTestFinished } from 'vitest'
import { createEvmBlockReader } from '../../../src/indexer/evm/index.ts'
import type { RpcBlock, RpcReceipt } from '../../../src/indexer/evm/rpc-block.ts'
import { recordedLines } from '../../support/recorded/recordings.ts'
import { startTestPool } from '../../support/upstream/upstream-pool.ts'

interface Recorded {
  block: RpcBlock
  receipts: RpcReceipt[]
}

const { signal } = new AbortController()
const blocks = recordedLines<Recorded>('c-blocks').filter(({ receipts }) => receipts.length > 0)
const withLogs = blocks.filter(({ receipts }) => receipts.some(({ logs }) => logs.length > 0)).slice(0, 1)
const withoutLogs = blocks.filter(({ receipts }) => receipts.every(({ logs }) => logs.length === 0)).slice(0, 1)

/** A server of these blocks. @param tell what it says of a receipt; @param whole left out: it has none of whole blocks */
function server(all: readonly Recorded[], tell: (receipt: RpcReceipt) => unknown, whole?: (of: Recorded) => unknown) {
  const methods = ['eth_getBlockReceipts']
  const faults = whole ? {} : { rpcError: { code: -32_601, message: 'the method does not exist', methods } }
  return {
    faults,
    answer: ({ method, params }: { method: string; params: unknown }) => {
      const [what] = params as [string]
      const found = all.find(({ block }) => block.number === what)
      if (method === 'eth_getBlockByNumber') return found?.block ?? null
      if (method === 'eth_getBlockReceipts') return found ? (whole?.(found) ?? null) : null
      const receipts = all.flatMap(({ receipts }) => receipts)
      const receipt = receipts.find(({ transactionHash }) => transactionHash === what)
      return receipt ? tell(receipt) : null
    },
  }
}

const truly = (receipt: RpcReceipt) => receipt
const wholly = ({ receipts }: Recorded) => receipts

async function read(servers: Parameters<typeof startTestPool>[0], all: readonly Recorded[]) {
  const { pool } = await startTestPool(servers, { spec: (_, priority) => ({ priority }) })
  onTestFinished(() => pool.close())
  const wanted = all.map(({ block }) => ({ height: BigInt(block.number), id: block.hash.slice(2) }))
  return (await createEvmBlockReader(pool, '/').read(wanted, signal)).map(({ receipts }) => receipts)
}

it.each([
  { name: 'with other logs', tell: (receipt: RpcReceipt) => ({ ...receipt, logs: receipt.logs.map(withOtherData) }) },
  { name: 'without logs', tell: (receipt: RpcReceipt) => ({ ...receipt, logs: [] }) },
  { name: 'of another block', tell: (receipt: RpcReceipt) => ({ ...receipt, blockHash: `0x${'ab'.repeat(32)}` }) },
  { name: 'that are none', tell: () => ({}) },
])('receipts that one server tells one by one, $name, are asked of another', async ({ tell }) => {
  const told = await read([server(withLogs, tell), server(withLogs, truly)], withLogs)
  expect(told).toEqual(withLogs.map(wholly))
})

it('receipts that all servers tell wrongly are an error', async () => {
  const tell = (receipt: RpcReceipt) => ({ ...receipt, logs: [] })
  await expect(read([server(withLogs, tell), server(withLogs, tell)], withLogs)).rejects.toThrow('without their logs')
})

it('a list without receipts is asked for again of another server, also of a block whose hash proves nothing', async () => {
  // Made in an unknown way: its hash is not what its members say.
  const unknown = withoutLogs.map(({ block: { blockGasCost, extDataHash, ...block }, receipts }) => ({
    block: { ...block, stateRoot: `0x${'cd'.repeat(32)}` },
    receipts,
  })) as Recorded[]
  const none = server(unknown, truly, () => [])
  expect(await read([none, server(unknown, truly, wholly)], unknown)).toEqual(unknown.map(wholly))
})

const withOtherData = <T extends { data: string }>(log: T): T => ({ ...log, data: `0x${'e'.repeat(64)}` })
