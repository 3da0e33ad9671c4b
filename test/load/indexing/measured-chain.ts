import type { Pool } from 'undici'
import type { Config, Partially } from '../../../src/config/index.ts'
import { recordedIndex } from '../../support/recorded-index.ts'

/** A generated chain that is read raw and indexed. */
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

const JSON_HEADERS = { 'content-type': 'application/json' }

async function ask<T>(pool: Pool, path: string, call: object): Promise<T> {
  const response = await pool.request({ path, method: 'POST', headers: JSON_HEADERS, body: JSON.stringify(call) })
  return (await response.body.json()) as T
}

const CONTAINERS = 1_024

/** X blocks through the index API, as many at once as a node gives. */
export function containerChain(count: number): MeasuredChain {
  return {
    unit: 'containers',
    stream: 'testnet:X',
    tip: count,
    config(url) {
      const base = recordedIndex(url)
      return { ...base, index: { ...base.index, streams: ['testnet:X'] } }
    },
    async readRaw(pool) {
      for (let from = 0; from < count; from += CONTAINERS) {
        const params = { startIndex: String(from), numToFetch: String(CONTAINERS), encoding: 'hex' }
        const call = { jsonrpc: '2.0', id: 1, method: 'index.getContainerRange', params }
        const { result } = await ask<{ result: { containers: { bytes: string }[] } }>(pool, '/ext/index/X/block', call)
        for (const { bytes } of result.containers) Buffer.from(bytes.slice(2), 'hex')
      }
    },
  }
}

export const EVM_CHAIN_ID = 43_999
export const EVM_PATH = '/evm'
/** The server asks for as many blocks at once. */
const BLOCKS = 64

/** Blocks and receipts of an EVM chain in batches. */
export function evmChain(count: number): MeasuredChain {
  return {
    unit: 'evm-blocks',
    stream: `eip155:${EVM_CHAIN_ID}`,
    tip: count - 1,
    config(url) {
      const base = recordedIndex(url)
      const chain = {
        name: 'Generated chain',
        testnet: true,
        upstreams: [{ url: url + EVM_PATH, requestsPerSecond: 5_000 }],
        blockTimeMs: 2_000,
        native: { name: 'Coin', symbol: 'COIN', decimals: 18, internalId: 'NATIVE-coin' },
      }
      return {
        ...base,
        // What is read raw: blocks and receipts.
        index: { ...base.index, streams: [`eip155:${EVM_CHAIN_ID}`], traces: 'off' },
        chains: { ...base.chains, evm: { [EVM_CHAIN_ID]: chain } },
      }
    },
    async readRaw(pool) {
      for (let from = 0; from < count; from += BLOCKS) {
        const heights = Array.from({ length: Math.min(BLOCKS, count - from) }, (_, i) => `0x${(from + i).toString(16)}`)
        const batch = (method: string, ...more: unknown[]) =>
          heights.map((height, id) => ({ jsonrpc: '2.0', id, method, params: [height, ...more] }))
        await ask(pool, EVM_PATH, batch('eth_getBlockByNumber', true))
        await ask(pool, EVM_PATH, batch('eth_getBlockReceipts'))
      }
    },
  }
}
