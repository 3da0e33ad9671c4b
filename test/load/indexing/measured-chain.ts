import type { Pool } from 'undici'
import type { Config, Partially } from '../../../src/config/index.ts'
import { recordedIndex } from '../../support/recorded/recorded-index.ts'

/** A chain that is read raw and indexed: a generated one, or that of a real node. */
export interface MeasuredChain {
  /** What is counted, as the figures name it. */
  unit: string
  /** The stream as /metrics names it. */
  stream: string
  /** Its last height. */
  tip: number
  /** Settings of a server that indexes it, and nothing else. */
  config(url: string): Partially<Config>
  /** Reads and parses every page, one after the other, and does nothing with them. */
  readRaw(pool: Pool): Promise<void>
}

export interface NodeChain {
  /** Most blocks. */
  count: number
  /** P or X. */
  letter: string
  /** Its Ethereum API: what is measured then is an EVM chain. */
  evmPath: string | undefined
  /** Of a network of one's own. */
  genesisFile: string | undefined
}

/** Requests a second: the node is no far one. */
const NO_PACE = 5_000

const JSON_HEADERS = { 'content-type': 'application/json' }

async function ask<T>(pool: Pool, path: string, call: object): Promise<T> {
  const response = await pool.request({ path, method: 'POST', headers: JSON_HEADERS, body: JSON.stringify(call) })
  return (await response.body.json()) as T
}

const CONTAINERS = 1_024

/** Page after page of the index API, as many at once as a node gives. */
async function readContainers(pool: Pool, letter: string, count: number): Promise<void> {
  for (let from = 0; from < count; from += CONTAINERS) {
    const params = { startIndex: String(from), numToFetch: String(Math.min(CONTAINERS, count - from)), encoding: 'hex' }
    const call = { jsonrpc: '2.0', id: 1, method: 'index.getContainerRange', params }
    const { result } = await ask<{ result: { containers: { bytes: string }[] } }>(
      pool,
      `/ext/index/${letter}/block`,
      call,
    )
    for (const { bytes } of result.containers) Buffer.from(bytes.slice(2), 'hex')
  }
}

/** Generated X blocks. */
export function containerChain(count: number): MeasuredChain {
  return {
    unit: 'containers',
    stream: 'testnet:X',
    tip: count,
    config(url) {
      const base = recordedIndex(url)
      return { ...base, index: { ...base.index, streams: ['testnet:X'] } }
    },
    readRaw: (pool) => readContainers(pool, 'X', count),
  }
}

/** The first blocks of P or X of a real node. */
function nodeContainers(letter: string, count: number, genesisFile: string | undefined): MeasuredChain {
  return {
    unit: `node-containers-${letter}`,
    stream: `testnet:${letter}`,
    tip: count,
    config(url) {
      const base = recordedIndex(url)
      const testnet = {
        name: 'Network of the node',
        ...(genesisFile === undefined ? {} : { genesisFile }),
        upstreams: [{ url, requestsPerSecond: NO_PACE }],
      }
      return {
        ...base,
        index: { ...base.index, streams: [`testnet:${letter}`] },
        chains: { catalogue: false, avalanche: { testnet } },
      }
    },
    readRaw: (pool) => readContainers(pool, letter, count),
  }
}

export const EVM_CHAIN_ID = 43_999
export const EVM_PATH = '/evm'
/** The server asks for as many blocks at once. */
const BLOCKS = 64

/** Blocks and receipts of an EVM chain in batches: the generated one, or the first blocks of a real node's. */
export function evmChain(count: number, node?: { chainId: number; path: string }): MeasuredChain {
  const { chainId, path } = node ?? { chainId: EVM_CHAIN_ID, path: EVM_PATH }
  return {
    unit: node ? 'node-evm-blocks' : 'evm-blocks',
    stream: `eip155:${chainId}`,
    tip: count - 1,
    config(url) {
      const base = recordedIndex(url)
      const chain = {
        name: 'Measured chain',
        testnet: true,
        upstreams: [{ url: url + path, requestsPerSecond: NO_PACE }],
        blockTimeMs: 2_000,
        native: { name: 'Coin', symbol: 'COIN', decimals: 18, internalId: 'NATIVE-coin' },
      }
      return {
        ...base,
        // What is read raw: blocks and receipts.
        index: { ...base.index, streams: [`eip155:${chainId}`], traces: 'off' },
        chains: { ...base.chains, evm: { [chainId]: chain } },
      }
    },
    async readRaw(pool) {
      for (let from = 0; from < count; from += BLOCKS) {
        const heights = Array.from({ length: Math.min(BLOCKS, count - from) }, (_, i) => `0x${(from + i).toString(16)}`)
        const batch = (method: string, ...more: unknown[]) =>
          heights.map((height, id) => ({ jsonrpc: '2.0', id, method, params: [height, ...more] }))
        await ask(pool, path, batch('eth_getBlockByNumber', true))
        await ask(pool, path, batch('eth_getBlockReceipts'))
      }
    },
  }
}

/** The chain of a real node, with as many of its blocks as are asked for and there. */
export async function chainOfNode(pool: Pool, wanted: NodeChain): Promise<MeasuredChain> {
  const call = (path: string, method: string, params: unknown) =>
    ask<{ result: unknown }>(pool, path, { jsonrpc: '2.0', id: 1, method, params })
  if (wanted.evmPath !== undefined) {
    const path = wanted.evmPath
    const [{ result: newest }, { result: chainId }] = await Promise.all([
      call(path, 'eth_blockNumber', []),
      call(path, 'eth_chainId', []),
    ])
    return evmChain(Math.min(wanted.count, Number(newest) + 1), { chainId: Number(chainId), path })
  }
  const { result } = await call(`/ext/index/${wanted.letter}/block`, 'index.getLastAccepted', { encoding: 'hex' })
  const count = Math.min(wanted.count, Number((result as { index: string }).index) + 1)
  return nodeContainers(wanted.letter, count, wanted.genesisFile)
}
