import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { createEvmLayer } from '../../../src/indexer/evm/index.ts'
import type { RpcBlock, RpcReceipt } from '../../../src/indexer/evm/rpc-block.ts'
import type { ChainStream, StreamBlock } from '../../../src/indexer/index.ts'
import type { SourceBlock } from '../../../src/indexer/primary/sources/source-block.ts'
import { RENEWALS, recordedLines } from '../../support/recorded/recordings.ts'
import { startStreamStage } from './evm-stage.ts'

/** Blocks of a real C-chain after Helicon, 114 to 136, whose headers settle the receipts of earlier ones. */
export interface RecordedBlock {
  block: RpcBlock
  receipts: RpcReceipt[]
}
export const recordedBlocks = (): RecordedBlock[] => recordedLines<RecordedBlock>('c-blocks', RENEWALS)
/** The same as the primary network's own blocks tell them, which their receipts are fetched for. */
export const recordedSources = (): SourceBlock<never>[] =>
  recordedBlocks().map(({ block: { number, hash, blockExtraData = '0x' } }) => ({
    height: BigInt(number),
    id: hash.slice(2),
    block: { extData: Buffer.from(blockExtraData.slice(2), 'hex') },
  })) as unknown as SourceBlock<never>[]
export const FIRST = 114n
export const LAST = 136n

/** What every contract says that it is called, as old tokens do, and of its decimals, which is nothing. */
const NAME = `0x${Buffer.from('Token').toString('hex').padEnd(64, '0')}`

/** Changes the receipts of a block before they are told; what it throws is told as the node's refusal. */
export type Tale = (height: number, receipts: RpcReceipt[]) => void

export interface SettlingNode {
  url: string
  tale: Tale
  /** Blocks whose receipts were asked for, in order. */
  asked: number[]
}

/** Answers for the recorded blocks as a node does; ends with the test. */
export async function startSettlingNode(tale: Tale = () => undefined): Promise<SettlingNode> {
  const blocks = new Map(recordedBlocks().map((one) => [Number(one.block.number), one]))
  const node: SettlingNode = { url: '', tale, asked: [] }
  const answer = ({ id, method, params }: { id: number; method: string; params: [string] }) => {
    const found = blocks.get(Number(params[0]))
    if (method === 'eth_getBlockByNumber') return { jsonrpc: '2.0', id, result: found?.block ?? null }
    if (method === 'eth_call') return { jsonrpc: '2.0', id, result: NAME }
    node.asked.push(Number(params[0]))
    const receipts = structuredClone(found?.receipts)
    try {
      if (receipts) node.tale(Number(params[0]), receipts)
    } catch (error) {
      return { jsonrpc: '2.0', id, error: { code: -32_000, message: (error as Error).message } }
    }
    return { jsonrpc: '2.0', id, result: receipts ?? null }
  }
  const server = createServer(async (incoming, outgoing) => {
    let body = ''
    for await (const part of incoming) body += String(part)
    const asked = JSON.parse(body) as Parameters<typeof answer>[0] | Parameters<typeof answer>[0][]
    outgoing.writeHead(200, { 'content-type': 'application/json' })
    outgoing.end(JSON.stringify(Array.isArray(asked) ? asked.map(answer) : answer(asked)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  node.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return node
}

/** The EVM side of these blocks, indexed into a database in memory. The first node is asked first. */
export async function startSettlingStage(nodes: readonly SettlingNode[]) {
  let tip = FIRST
  const urls = nodes.map(({ url }) => url)
  const stage = await startStreamStage('t:C', urls, (pool) => layerAlone(createEvmLayer(pool, ''), () => tip))
  const blocks = recordedBlocks().map(({ block }) => block)
  return {
    store: stage.store,
    sql: stage.sql,
    status: () => stage.indexer.status().streams[0],
    /** The chain goes on up to this height. */
    grow(height: bigint) {
      tip = height
    },
    /** Resolves once this is the stored tip and nothing is in doubt. */
    at: (height: bigint) => stage.at(blocks[Number(height - FIRST)] ?? { number: '', hash: '' }),
    /** As another process would begin. */
    async again() {
      await stage.indexer.stop()
      stage.again()
    },
  }
}

type Layer = ReturnType<typeof createEvmLayer>
type Fetched = Awaited<ReturnType<Layer['fetch']>>[number]

/** C without its containers: what the layer fetches and makes, and nothing else. */
function layerAlone(layer: Layer, tip: () => bigint): ChainStream<StreamBlock & { evm: Fetched }> {
  const definition = { kind: 'primary', name: 't:C', network: 't', testnet: true, chain: 'C', evmChainId: 1n } as const
  const accepted = recordedBlocks().map(({ block: { hash, blockExtraData = '0x' } }) => {
    return { id: hash.slice(2), block: { extData: Buffer.from(blockExtraData.slice(2), 'hex') } }
  })
  return {
    definition,
    firstHeight: FIRST,
    async fetch(from, _, signal) {
      const heights = Array.from({ length: Number(tip() - from) + 1 }, (__, at) => from + BigInt(at))
      const wanted = heights.map((height) => ({ height, ...accepted[Number(height - FIRST)] }))
      const facts = await layer.fetch(wanted as unknown as SourceBlock<never>[], signal)
      const blocks = facts.map((evm, at) => ({
        height: heights[at] ?? 0n,
        id: evm.block.hash.slice(2),
        parentId: evm.block.parentHash.slice(2),
        time: BigInt(evm.block.timestamp),
        evm,
      }))
      return { tip: tip(), blocks }
    },
    unsettled: (progress, signal) => layer.unsettled(progress, signal),
    async open(progress, signal) {
      const applier = await layer.open(progress, signal)
      return {
        apply(blocks) {
          const { rows, state } = applier.apply(blocks.map(({ evm }) => evm))
          return { rows: { evm: rows }, ...(state === undefined ? {} : { state }) }
        },
      }
    },
  }
}
