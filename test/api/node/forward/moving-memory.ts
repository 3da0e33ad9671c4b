import { encodeCBlock } from '../../../../src/chains/avalanche/codec/index.ts'
import { encodeCb58 } from '../../../../src/lib/bytes/cb58.ts'
import { encodeNodeHex } from '../../../../src/lib/bytes/node-hex.ts'
import type { Asked, Reply } from '../fake-nodes.ts'
import { failureOf, later, type MovingBlocks, type MovingNode } from '../moving-nodes.ts'

// What nodes say of the memory that P, X and C share, and of C. Block n of a chain exports output n to each other
// chain, and imports some of what the others exported. It holds transaction n, which has the same id.

export const CHAINS = ['P', 'X', 'C'] as const
export type Chain = (typeof CHAINS)[number]

/** Block before the first that is made: nothing was exported until then. */
export const FIRST = 1_000

/** What the chains are made of. */
export interface Memory {
  blocks: MovingBlocks
  /** The block that imports an output; undefined = none does yet. */
  importedIn(from: Chain, to: Chain, output: number): number | undefined
}

export function createMemory(random: () => number): Memory {
  const imports = new Map<string, number>()
  const needs = new Map<string, Record<string, number>>()
  const tops: Record<Chain, number> = { P: FIRST, X: FIRST, C: FIRST }
  const made = (chain: Chain, height: number): void => {
    tops[chain] = height
    const needed = { ...needs.get(`${chain}${height - 1}`) }
    for (const other of CHAINS.filter((one) => one !== chain))
      for (let output = FIRST + 1; output <= tops[other]; output += 1) {
        const key = `${other}${chain}${output}`
        if (imports.has(key) || random() < 0.6) continue
        imports.set(key, height)
        needed[other] = Math.max(needed[other] ?? 0, output)
      }
    needs.set(`${chain}${height}`, needed)
  }
  return {
    blocks: {
      made: (chain, height) => made(chain as Chain, height),
      needs: (chain, height) => needs.get(`${chain}${height}`) ?? {},
    },
    importedIn: (from, to, output) => imports.get(`${from}${to}${output}`),
  }
}

const heights = new Map<string, number>()
export function idOf(chain: Chain, height: number): string {
  const bytes = Buffer.alloc(32, chain)
  bytes.writeUInt32BE(height)
  const id = encodeCb58(bytes)
  heights.set(id, height)
  return id
}
export const heightOf = (id: unknown): number => heights.get(String(id)) ?? Number.NaN

const zeros = (bytes: number): string => '00'.repeat(bytes)
const HEADER = {
  ...{ parentHash: zeros(32), uncleHash: zeros(32), coinbase: zeros(20), stateRoot: zeros(32), mixHash: zeros(32) },
  ...{ transactionsRoot: zeros(32), receiptsRoot: zeros(32), logsBloom: zeros(256), extDataHash: zeros(32) },
  ...{ difficulty: 1n, gasLimit: 1n, gasUsed: 0n, time: 1n, extraData: '', nonce: zeros(8) },
}

function container(chain: Chain, height: number): object {
  const header = { ...HEADER, number: BigInt(height) }
  const nothing = new Uint8Array()
  const block = { id: '', header, transactions: [], uncles: [], version: 0n, extData: nothing }
  return {
    id: idOf(chain, height),
    bytes: encodeNodeHex(encodeCBlock(block)),
    timestamp: '2024-01-01T00:00:00Z',
    encoding: 'hex',
    index: String(height - 1),
  }
}

export const hex = (height: number): string => `0x${height.toString(16)}`
export const hashOf = (height: number): string => `0x${height.toString(16).padStart(64, '0')}`

type Params = Record<string, unknown>
const refuse = (message: string) => ({ error: { code: -32000, message } })

/** A node's answers, as it stands. */
function answersOf({ heights: has }: MovingNode, { importedIn }: Memory, chain: Chain) {
  const height = has[chain] ?? 0
  const statusOf = (id: unknown) => {
    const at = heightOf(id)
    if (at > height) return { status: at > height + 1 ? 'Unknown' : 'Processing' }
    if (chain !== 'C') return { status: chain === 'P' ? 'Committed' : 'Accepted' }
    return { status: 'Accepted', blockHeight: String(at) }
  }
  const outputsFrom = (from: Chain) => {
    const utxos: string[] = []
    for (let output = FIRST + 1; output <= (has[from] ?? 0); output += 1)
      if (!((importedIn(from, chain, output) ?? Number.POSITIVE_INFINITY) <= height)) utxos.push(hex(output))
    return { numFetched: String(utxos.length), utxos, endIndex: { address: 'a', utxo: 'b' }, encoding: 'hex' }
  }
  const rangeFrom = (from: number) => {
    if (from > height) return refuse(`start index (${from - 1}) > last accepted index (${height - 1})`)
    const count = Math.min(10, height - from + 1)
    return { result: { containers: Array.from({ length: count }, (_, at) => container(chain, from + at)) } }
  }
  const gorilla = (name: string, params: Params): object | undefined => {
    const at = heightOf(params['txID'] ?? params['id'])
    if (name === 'getHeight') return { result: { height: String(height) } }
    if (name === 'issueTx') return { result: { txID: idOf(chain, height + 1) } }
    if (name === 'getUTXOs') return { result: outputsFrom(params['sourceChain'] as Chain) }
    if (name.endsWith('TxStatus')) return { result: statusOf(params['txID']) }
    if (name === 'getAtomicTx' && at > height) return refuse(`could not find tx ${params['txID']}`)
    if (name === 'getAtomicTx') return { result: { tx: '0x00', encoding: 'hex', blockHeight: String(at) } }
    if (name === 'isAccepted') return { result: { isAccepted: at <= height } }
    if (name === 'getLastAccepted') return { result: container(chain, height) }
    if (name === 'getContainerByID') return at > height ? refuse('not found') : { result: container(chain, at) }
    return name === 'getContainerRange' ? rangeFrom(Number(params['startIndex']) + 1) : undefined
  }
  const evm = (method: string, [first]: readonly unknown[]): unknown => {
    const named = first === 'latest' ? height : Number(first)
    // The server tells networks apart by their first block.
    if (method === 'eth_chainId') return '0xa869'
    if (method === 'eth_blockNumber' || method === 'eth_getBalance') return hex(height)
    const block = { blockNumber: hex(named), blockHash: hashOf(named), number: hex(named), hash: hashOf(named) }
    return named > height ? null : block
  }
  return { gorilla, evm }
}

interface Sent {
  id: unknown
  method: string
  params: unknown
}

/** What a node says; undefined = what any node does. */
export async function replyOf(node: MovingNode, memory: Memory, { path, body }: Asked): Promise<Reply> {
  const failure = failureOf(node)
  if (failure) return failure
  const chain = /\/(?:bc|index)\/([PXC])/.exec(path)?.[1] as Chain | undefined
  if (!chain) return undefined
  const { gorilla, evm } = answersOf(node, memory, chain)
  const call = JSON.parse(body.toString()) as Sent | Sent[]
  const answer = ({ id, method, params }: Sent): object | undefined => {
    if (path.endsWith('/rpc')) return { jsonrpc: '2.0', id, result: evm(method, params as unknown[]) }
    const said = gorilla(method.slice(method.indexOf('.') + 1), params as Params)
    return said && { jsonrpc: '2.0', ...said, id }
  }
  const said = Array.isArray(call) ? call.map(answer) : answer(call)
  await later(node)
  return said && { body: `${JSON.stringify(said)}\n` }
}
