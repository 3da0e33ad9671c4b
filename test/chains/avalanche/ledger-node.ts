import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decodeUtxo, type Utxo } from '../../../src/chains/avalanche/codec/index.ts'
import { formatBech32Address, parseBech32Address } from '../../../src/lib/bytes/bech32-address.ts'
import { bytesToHex, hexToBytes, idToCb58 } from '../../../src/lib/bytes/ids.ts'
import { decodeNodeHex, encodeNodeHex } from '../../../src/lib/bytes/node-hex.ts'
import { utxoId } from '../../../src/lib/bytes/utxo-id.ts'

type Chain = 'P' | 'X' | 'C'

/** One staking transaction, with its outputs as getStake sends them (codec version, asset, output; node hex). */
export interface LedgerStaker {
  txId: string
  nodeId: string
  kind: 'validator' | 'delegator'
  endTime: number
  weight: bigint
  outputs: { hex: string; owners: string[] }[]
  /** `unsignedTx` of getTx in JSON. */
  unsignedTx?: unknown
  /** The id that getTx answers with; left out: its own; null: none, as nodes before v1.10.5. */
  toldId?: string | null | undefined
  extra?: Record<string, unknown>
}

/** What the node knows; a test may change any of it while the node runs. */
export interface Ledger {
  networkId: number
  hrp: string
  chainIds: Record<Chain, string>
  avaxAssetId: string
  /** Node hex of UTXOs, by `<chain>` or `<chain>←<source>`. */
  memories: Map<string, string[]>
  /** UTXOs are listed the other way round: each node has an order of its own for those of one block. */
  reversed?: boolean
  stakers: LedgerStaker[]
  assets: Map<string, { name: string; symbol: string; denomination: string }>
  heights: Record<Chain, number>
  upgrades?: Record<string, unknown> | undefined
  /** Inner blocks by `<chain>:<height>`; left out, the node has no such method. */
  blocks?: Map<string, Uint8Array>
  /** Chains that it runs; left out = it does not say. */
  runs?: readonly Chain[]
}

export interface LedgerCall {
  path: string
  method: string
  params: Record<string, unknown>
}

export interface LedgerNode {
  readonly url: string
  readonly ledger: Ledger
  /** Every call in order of arrival. */
  readonly calls: LedgerCall[]
  /** Requests whose connection was closed before they were answered. */
  closed: number
  /** Runs before a call is answered; may change the ledger, or return a JSON-RPC error to send. */
  before: (call: LedgerCall) => undefined | { code: number; message: string } | Promise<undefined>
  /** Addresses of a memory have changed. */
  reindex(): void
  close(): Promise<void>
}

/** A node with the paging, limits and encodings of a real one over a ledger that the test makes up or loads. */
export async function startLedgerNode(ledger: Ledger): Promise<LedgerNode> {
  let index = buildIndex(ledger)
  const node: Omit<LedgerNode, 'url'> = {
    ledger,
    calls: [],
    closed: 0,
    before: () => undefined,
    reindex: () => {
      index = buildIndex(ledger)
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
  const server = createServer((request, response) => {
    void answer(request, response, node, (call) => dispatch(ledger, index, call))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return Object.assign(node, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  node: Omit<LedgerNode, 'url'>,
  dispatchCall: (call: LedgerCall) => unknown,
): Promise<void> {
  response.on('close', () => {
    if (!response.writableFinished) node.closed += 1
  })
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString('utf8'))
  const call: LedgerCall = { path: request.url ?? '', method, params: params ?? {} }
  node.calls.push(call)
  const body: Record<string, unknown> = { jsonrpc: '2.0', id }
  try {
    const refusal = await node.before(call)
    if (refusal) body['error'] = refusal
    else body['result'] = dispatchCall(call)
  } catch (error) {
    body['error'] = { code: -32000, message: (error as Error).message, data: null }
  }
  response.setHeader('content-type', 'application/json; charset=utf-8')
  response.end(JSON.stringify(body))
}

interface Entry {
  id: string
  hex: string
}
/** UTXOs of a memory by owner (hex), each list in the order of the node. */
type MemoryIndex = Map<string, Map<string, Entry[]>>

function ownersOf(utxo: Utxo): string[] {
  const output = utxo.output.type === 'stakeable-lock' ? utxo.output.output : utxo.output
  // A real node finds nothing that needs no signature.
  return output.threshold === 0 ? [] : output.addresses.map(bytesToHex)
}

const isBefore = ({ reversed }: Ledger, a: string, b: string): boolean => (reversed ? a > b : a < b)

function buildIndex(ledger: Ledger): MemoryIndex {
  const index: MemoryIndex = new Map()
  for (const [memory, utxos] of ledger.memories) {
    const owners = new Map<string, Entry[]>()
    for (const hex of utxos) {
      const utxo = decodeUtxo(decodeNodeHex(hex))
      for (const owner of ownersOf(utxo)) {
        const list = owners.get(owner) ?? []
        list.push({ id: utxoId(utxo), hex })
        owners.set(owner, list)
      }
    }
    for (const list of owners.values()) list.sort((a, b) => (isBefore(ledger, a.id, b.id) ? -1 : 1))
    index.set(memory, owners)
  }
  return index
}

function dispatch(ledger: Ledger, index: MemoryIndex, call: LedgerCall): unknown {
  const { method, params } = call
  switch (method) {
    case 'platform.getUTXOs':
      return utxoPage(ledger, index, 'P', params)
    case 'avm.getUTXOs':
      return utxoPage(ledger, index, 'X', params)
    case 'avax.getUTXOs':
      return utxoPage(ledger, index, 'C', params)
    case 'platform.getStake':
      return stakeOf(ledger, params)
    case 'platform.getHeight':
      return { height: String(ledger.heights.P) }
    case 'avm.getHeight':
      return { height: String(ledger.heights.X) }
    case 'eth_blockNumber':
      return `0x${ledger.heights.C.toString(16)}`
    case 'eth_chainId':
      return '0xa869'
    case 'platform.getBlockByHeight':
      return blockAt(ledger, 'P', params)
    case 'avm.getBlockByHeight':
      return blockAt(ledger, 'X', params)
    case 'info.getNetworkID':
      return { networkID: String(ledger.networkId) }
    case 'info.getBlockchainID':
      return { blockchainID: ledger.chainIds[params['alias'] as Chain] }
    case 'info.isBootstrapped':
      if (!ledger.runs) throw new Error('rpc: can\'t find method "info.IsBootstrapped"')
      return { isBootstrapped: ledger.runs.includes(params['chain'] as Chain) }
    case 'info.upgrades':
      if (!ledger.upgrades) throw new Error('rpc: can\'t find method "info.Upgrades"')
      return ledger.upgrades
    case 'avm.getAssetDescription':
      return assetOf(ledger, params)
    case 'platform.getCurrentValidators':
      return { validators: validatorsOf(ledger, params) }
    case 'platform.getTx': {
      const staker = ledger.stakers.find(({ txId }) => txId === params['txID'])
      if (!staker) throw new Error("couldn't get tx: not found")
      return {
        tx: {
          unsignedTx: staker.unsignedTx,
          credentials: [],
          ...(staker.toldId === null ? {} : { id: staker.toldId ?? staker.txId }),
        },
        encoding: 'json',
      }
    }
    default:
      throw new Error(`rpc: can't find method "${method}"`)
  }
}

function blockAt({ blocks }: Ledger, chain: Chain, { height, encoding }: Record<string, unknown>) {
  if (!blocks) throw new Error("rpc: can't find method")
  const block = blocks.get(`${chain}:${height}`)
  if (!block || encoding !== 'hex') throw new Error("couldn't get block at height: not found")
  return { block: encodeNodeHex(block), encoding }
}

function hexOf(ledger: Ledger, chain: Chain, text: string): string {
  const { bytes, hrp, chain: prefix } = parseBech32Address(text)
  if (prefix !== chain) throw new Error(`couldn't parse address "${text}": no separator found in address`)
  if (hrp !== ledger.hrp)
    throw new Error(`couldn't parse address "${text}": expected hrp "${ledger.hrp}" but got "${hrp}"`)
  return bytesToHex(bytes)
}

function utxoPage(ledger: Ledger, index: MemoryIndex, chain: Chain, params: Record<string, unknown>) {
  const texts = (params['addresses'] ?? []) as string[]
  if (texts.length === 0) throw new Error('no addresses provided')
  if (texts.length > 1024) throw new Error(`number of addresses given, ${texts.length}, exceeds maximum, 1024`)
  const source = params['sourceChain'] as string | undefined
  if (chain === 'C' && !source) throw new Error('no source chain provided')
  const owners = index.get(source && source !== chain ? `${chain}←${source}` : chain) ?? new Map<string, Entry[]>()
  const limit = Math.min(Number(params['limit'] ?? 1024) || 1024, 1024)
  const start = params['startIndex'] as { address: string; utxo: string } | undefined
  const from = start ? { owner: hexOf(ledger, chain, start.address), id: start.utxo } : undefined
  const addresses = texts.map((text) => hexOf(ledger, chain, text)).sort()
  const seen = new Set<string>()
  const utxos: string[] = []
  let last = { owner: addresses.at(-1) as string, id: '0'.repeat(64) }
  for (const owner of addresses) {
    if (from && owner < from.owner) continue
    for (const entry of owners.get(owner) ?? []) {
      if (from && owner === from.owner && !isBefore(ledger, hexOfId(from.id), entry.id)) continue
      if (seen.has(entry.id)) continue
      if (utxos.length === limit) return pageOf(ledger, chain, utxos, last)
      seen.add(entry.id)
      utxos.push(entry.hex)
      last = { owner, id: entry.id }
    }
  }
  return pageOf(ledger, chain, utxos, last)
}

/** The node's cursor is opaque to clients; here it is plain hex. */
const hexOfId = (id: string) => id

function pageOf(ledger: Ledger, chain: Chain, utxos: string[], last: { owner: string; id: string }) {
  const address = formatBech32Address(hexToBytes(last.owner), ledger.hrp, chain)
  return { numFetched: String(utxos.length), utxos, endIndex: { address, utxo: last.id }, encoding: 'hex' }
}

function stakeOf(ledger: Ledger, params: Record<string, unknown>) {
  const texts = (params['addresses'] ?? []) as string[]
  if (texts.length > 256) throw new Error(`${texts.length} addresses provided but this method can take at most 256`)
  const wanted = new Set(texts.map((text) => hexOf(ledger, 'P', text)))
  const ordered = [...ledger.stakers].sort((a, b) => a.endTime - b.endTime)
  const outputs = ordered.flatMap((staker) => staker.outputs).filter(({ owners }) => owners.some((o) => wanted.has(o)))
  return { staked: '0', stakeds: {}, stakedOutputs: outputs.map(({ hex }) => hex), encoding: 'hex' }
}

function assetOf(ledger: Ledger, params: Record<string, unknown>) {
  const assetID = params['assetID'] === 'AVAX' ? idToCb58(ledger.avaxAssetId) : (params['assetID'] as string)
  const asset = ledger.assets.get(assetID)
  if (!asset) throw new Error('not found')
  return { assetID, ...asset }
}

function validatorsOf(ledger: Ledger, params: Record<string, unknown>) {
  const nodeIds = params['nodeIDs'] as string[] | undefined
  const stakers = (kind: LedgerStaker['kind']) => ledger.stakers.filter((staker) => staker.kind === kind)
  const plain = ({ txId, endTime, weight, nodeId, extra }: LedgerStaker) => {
    return { txID: txId, startTime: '0', endTime: String(endTime), weight: String(weight), nodeID: nodeId, ...extra }
  }
  return stakers('validator')
    .filter(({ nodeId }) => !nodeIds || nodeIds.includes(nodeId))
    .map((validator) => {
      const own = stakers('delegator').filter(({ nodeId }) => nodeId === validator.nodeId)
      const delegatorWeight = String(own.reduce((sum, { weight }) => sum + weight, 0n))
      const delegators = nodeIds?.length === 1 ? { delegators: own.map(plain) } : {}
      return { ...plain(validator), delegatorCount: String(own.length), delegatorWeight, ...delegators }
    })
}
