import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Config, Partially } from '../../../src/config/index.ts'
import { createLine } from '../../../src/lib/waiting/line.ts'
import { startSandboxAvalanche } from '../../sandbox/avalanche-network.ts'
import { recordedJson } from '../../support/recorded/recordings.ts'
import type { ReplayNode } from '../../support/replay-node/index.ts'
import type { Heights } from '../../support/replay-node/recorded/chain-tips.ts'
import { createStage, type RunningServer } from '../../support/server/stage.ts'

export interface IndexedServer extends RunningServer {
  /** Base URL of the replayed node behind it. */
  nodeUrl: string
  node: ReplayNode
  /** Status, headers and parsed body of a call with a path from `/v1` on; a path prefix is put in front. */
  get(path: string): Promise<DataAnswer>
  post(path: string, body: unknown): Promise<DataAnswer>
  stop(): Promise<void>
}

export interface DataAnswer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  body: any
}

/** EVM chain ids of the recorded chains. */
export const C_CHAIN = '43113'
export const L1 = '99373'

const TIPS = { p: 371, x: 212, c: 646, l1: 130 }
const READY_MS = 240_000
/** Tests ask hundreds of things at once, and nothing waits for the database for longer than ten seconds. */
const AT_ONCE = 16

/** Thousands of calls a minute: the budget must not decide. */
export const GENEROUS = { default: { computeUnitsPerMinute: 1_000_000_000, computeUnitsPerDay: 1_000_000_000 } }

/**
 * The server as an operator would run it over the recorded network, its index at every chain's tip.
 * @param others base URLs of further nodes
 */
export async function startIndexedServer(
  data: Partially<Config>['data'] = { plans: GENEROUS },
  upTo: Partial<Heights> = {},
  others: readonly string[] = [],
): Promise<IndexedServer> {
  const stage = createStage()
  const network = await startSandboxAvalanche()
  network.node.moveTo(upTo)
  const stop = async (): Promise<void> => {
    await stage.clear()
    await network.stop()
  }
  try {
    const server = await stage.serve({ data, ...settings([network.url, ...others], network.l1) } as Partially<Config>)
    const inTurn = createLine(
      { running: AT_ONCE, waiting: Number.POSITIVE_INFINITY },
      () => new Error('nobody is refused'),
    )
    const call = (path: string, init?: RequestInit): Promise<DataAnswer> =>
      inTurn(async () => {
        const response = await fetch(`${server.url}${data?.pathPrefix ?? ''}${path}`, init)
        const text = await response.text()
        return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) }
      })
    const indexed: IndexedServer = {
      ...server,
      nodeUrl: network.url,
      node: network.node,
      get: (path) => call(path),
      post: (path, body) =>
        call(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      stop,
    }
    await untilAtTips(indexed, upTo)
    return indexed
  } catch (error) {
    await stop()
    throw error
  }
}

function settings(nodeUrls: readonly string[], l1: { url: string; blockchainID: string } | undefined) {
  const { evmChainId } = recordedJson<{ evmChainId: number }>('network')
  const evm = (name: string, url: string) => ({
    name,
    testnet: true,
    upstreams: [{ url, requestsPerSecond: 5_000 }],
    native: { name: 'Avalanche', symbol: 'AVAX', decimals: 18, internalId: 'NATIVE-avax' },
    blockTimeMs: 2_000,
  })
  return {
    index: { enabled: true, streams: ['testnet:P', 'testnet:X', 'testnet:C', `eip155:${L1}`] },
    chains: {
      evm: {
        [evmChainId]: evm('Recorded C-Chain', `${nodeUrls[0]}/ext/bc/C/rpc`),
        ...(l1 ? { [L1]: { ...evm('Recorded L1', l1.url), blockchainId: l1.blockchainID } } : {}),
      },
      avalanche: {
        testnet: {
          name: 'Recorded network',
          evmChainId,
          genesisFile: fileURLToPath(new URL('../../fixtures/network/genesis.json', import.meta.url)),
          upstreams: nodeUrls.map((url) => ({ url, requestsPerSecond: 5_000 })),
        },
      },
    },
  }
}

async function untilAtTips(server: IndexedServer, upTo: Partial<Heights>): Promise<void> {
  const end = Date.now() + READY_MS
  for (;;) {
    const heights = await Promise.all(
      (['p', 'x', 'c'] as const).map(async (chain) => {
        const { status, headers } = await server.get(`/v1/networks/fuji/blockchains/${chain}-chain/blocks/0`)
        // 503 until the indexer has looked once more and found nothing newer.
        return (
          status === 200 && Number(headers.get('x-indexed-height')) >= (upTo[chain.toUpperCase() as 'P'] ?? TIPS[chain])
        )
      }),
    )
    const { body } = await server.get('/v1/blocks?pageSize=100&network=testnet')
    const blocks = (body.blocks ?? []) as { chainId: string; blockNumber: string }[]
    const l1 = blocks.some(({ chainId, blockNumber }) => chainId === L1 && blockNumber === String(TIPS.l1))
    const reached = heights.every(Boolean) && (l1 || blocks.length === 100)
    if (reached) return
    if (Date.now() > end) throw new Error(`the index did not reach the tips: ${heights} ${l1}`)
    await sleep(200)
  }
}
