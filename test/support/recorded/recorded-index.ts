import { fileURLToPath } from 'node:url'
import type { Config, Partially } from '../../../src/config/index.ts'
import { until } from '../waiting/until.ts'
import { recordedJson } from './recordings.ts'

/** Heights at which the recorded chains end. */
export const RECORDED_TIPS = { P: 371, X: 212, C: 646 } as const

/** Thousands of calls a minute: the budget must not decide. */
export const GENEROUS = { default: { computeUnitsPerMinute: 1_000_000_000, computeUnitsPerDay: 1_000_000_000 } }

/** Requests per second to the replayed node: it is no far one. */
const NO_PACE = 5_000

const evmChain = (name: string, url: string) => ({
  name,
  testnet: true,
  upstreams: [{ url, requestsPerSecond: NO_PACE }],
  native: { name: 'Avalanche', symbol: 'AVAX', decimals: 18, internalId: 'NATIVE-avax' },
  blockTimeMs: 2_000,
})

interface Beside {
  /** Base URLs of further nodes. */
  others?: readonly string[]
  /** The recorded L1, which is indexed, too. */
  l1?: { url: string; chainId: number; blockchainID: string } | undefined
}

/** Settings of a server that follows P, X and C of the recorded network at the node that replays it. */
export function recordedIndex(nodeUrl: string, { others = [], l1 }: Beside = {}): Partially<Config> {
  const { evmChainId } = recordedJson<{ evmChainId: number }>('network')
  const ofL1 = l1 ? { [l1.chainId]: { ...evmChain('Recorded L1', l1.url), blockchainId: l1.blockchainID } } : {}
  const streams = ['testnet:P', 'testnet:X', 'testnet:C', ...(l1 ? [`eip155:${l1.chainId}`] : [])]
  return {
    index: { enabled: true, streams },
    data: { plans: GENEROUS },
    market: { prices: { provider: 'none' }, defaultTokenLists: [] },
    chains: {
      catalogue: false,
      evm: { [evmChainId]: evmChain('Recorded C-Chain', `${nodeUrl}/ext/bc/C/rpc`), ...ofL1 },
      avalanche: {
        testnet: {
          name: 'Recorded network',
          evmChainId,
          genesisFile: fileURLToPath(new URL('../../fixtures/network/genesis.json', import.meta.url)),
          upstreams: [nodeUrl, ...others].map((url) => ({ url, requestsPerSecond: NO_PACE })),
        },
      },
    },
  }
}

const LETTERS = ['P', 'X', 'C'] as const

/** Heights up to which a server's index has blocks now; −1 where it does not answer yet. */
export async function indexedHeights(url: string, headers: Record<string, string> = {}): Promise<number[]> {
  return Promise.all(
    LETTERS.map(async (letter) => {
      const path = `/v1/networks/fuji/blockchains/${letter.toLowerCase()}-chain/blocks/0`
      const answer = await fetch(url + path, { headers })
      await answer.arrayBuffer()
      return answer.status === 200 ? Number(answer.headers.get('x-indexed-height')) : -1
    }),
  )
}

/** Waits until the index of a server has all blocks up to these heights. */
export async function untilIndexed(
  url: string,
  upTo: Readonly<Record<'P' | 'X' | 'C', number>> = RECORDED_TIPS,
  headers: Record<string, string> = {},
): Promise<void> {
  let heights: number[] = []
  const areIndexed = async (): Promise<boolean> => {
    heights = await indexedHeights(url, headers)
    return LETTERS.every((letter, at) => (heights[at] ?? -1) >= upTo[letter])
  }
  await until(areIndexed, () => `the index reaches the tips, it is at ${heights}`, 100)
}
