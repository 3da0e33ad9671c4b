import { fileURLToPath } from 'node:url'
import type { Config, Partially } from '../../../src/config/index.ts'
import { recordedJson } from './recordings.ts'

/** Heights at which the recorded chains end. */
export const RECORDED_TIPS = { P: 371, X: 212, C: 646 } as const

/** Thousands of calls a minute: the budget must not decide. */
const GENEROUS = { default: { computeUnitsPerMinute: 1_000_000_000, computeUnitsPerDay: 1_000_000_000 } }

/** Requests per second to the replayed node: it is no far one. */
const NO_PACE = 5_000

/** Settings of a server that follows P, X and C of the recorded network at the node that replays it. */
export function recordedIndex(nodeUrl: string): Partially<Config> {
  const { evmChainId } = recordedJson<{ evmChainId: number }>('network')
  return {
    index: { enabled: true, streams: ['testnet:P', 'testnet:X', 'testnet:C'] },
    data: { plans: GENEROUS },
    market: { prices: { provider: 'none' }, defaultTokenLists: [] },
    chains: {
      catalogue: false,
      evm: {
        [evmChainId]: {
          name: 'Recorded C-Chain',
          testnet: true,
          upstreams: [{ url: `${nodeUrl}/ext/bc/C/rpc`, requestsPerSecond: NO_PACE }],
          native: { name: 'Avalanche', symbol: 'AVAX', decimals: 18, internalId: 'NATIVE-avax' },
          blockTimeMs: 2_000,
        },
      },
      avalanche: {
        testnet: {
          name: 'Recorded network',
          evmChainId,
          genesisFile: fileURLToPath(new URL('../../fixtures/network/genesis.json', import.meta.url)),
          upstreams: [{ url: nodeUrl, requestsPerSecond: NO_PACE }],
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

/** Waits until the index of a server has all blocks up to these heights. @throws Error after four minutes */
export async function untilIndexed(
  url: string,
  upTo: Readonly<Record<'P' | 'X' | 'C', number>> = RECORDED_TIPS,
  headers: Record<string, string> = {},
): Promise<void> {
  const end = Date.now() + 240_000
  for (;;) {
    const heights = await indexedHeights(url, headers)
    if (LETTERS.every((letter, at) => (heights[at] ?? -1) >= upTo[letter])) return
    if (Date.now() > end) throw new Error(`the index did not reach the tips: ${heights}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
