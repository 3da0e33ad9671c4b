import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startReplayNode } from '../../support/replay-node/index.ts'
import { generateContainers } from './containers.ts'
import { type GeneratedEvmBlock, generateEvmBlocks } from './evm-blocks.ts'
import { EVM_CHAIN_ID, EVM_PATH } from './measured-chain.ts'

/** The node that is indexed, in a process of its own, so that what is measured does not share its processor and memory. */
const JSON_HEADERS = { 'content-type': 'application/json' }

interface Size {
  blocks: number
  transactions: number
  /** Of `generateContainers`. */
  later: number
  evm: boolean
}

interface Call {
  id: unknown
  method: string
  params: readonly unknown[]
}

/** The replayed node, with the generated chain as its X or as an EVM chain of its own. */
async function startNode({ evm, ...size }: Size): Promise<string> {
  const node = await startReplayNode({ upTo: { P: 1, X: 0, C: 0 } })
  const { containers } = evm ? { containers: [] } : await generateContainers(size)
  const blocks = evm ? generateEvmBlocks(size) : []
  const last = String(containers.length)
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    const answer = (result: string): void => {
      outgoing.writeHead(200, JSON_HEADERS).end(`{"jsonrpc":"2.0","result":${result},"id":1}`)
    }
    if (incoming.url === EVM_PATH) {
      outgoing.writeHead(200, JSON_HEADERS).end(answerEvm(blocks, JSON.parse(body) as Call | Call[]))
      return
    }
    if (incoming.url === '/ext/index/X/block') {
      const { params } = JSON.parse(body) as { params: { startIndex: string; numToFetch: string } }
      const from = Number(params.startIndex)
      const page = containers.slice(from, from + Number(params.numToFetch))
      if (page.length > 0) return answer(`{"containers":[${page.join()}]}`)
    }
    if (body.includes('avm.getHeight')) return answer(`{"height":"${last}"}`)
    const forwarded = await fetch(node.url + incoming.url, { method: 'POST', headers: JSON_HEADERS, body })
    outgoing.writeHead(forwarded.status, JSON_HEADERS).end(await forwarded.text())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function answerEvm(blocks: readonly GeneratedEvmBlock[], calls: Call | Call[]): string {
  const one = ({ id, method, params: [height] }: Call): string => {
    const at = height === 'latest' ? blocks.length - 1 : Number(height)
    return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${evmResult(blocks[at], method)}}`
  }
  return Array.isArray(calls) ? `[${calls.map(one).join()}]` : one(calls)
}

function evmResult(block: GeneratedEvmBlock | undefined, method: string): string {
  switch (method) {
    case 'eth_chainId':
      return `"0x${EVM_CHAIN_ID.toString(16)}"`
    case 'eth_getBlockByNumber':
      return block?.block ?? 'null'
    case 'eth_getBlockReceipts':
      return block?.receipts ?? 'null'
    default:
      // Contracts without a name.
      return '"0x"'
  }
}

process.once('disconnect', () => process.exit(0))
process.send?.({ url: await startNode(JSON.parse(process.argv[2] ?? '{}') as Size) })
