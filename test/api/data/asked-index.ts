import { evmLatestRoutes } from '../../../src/api/data/evm/latest.ts'
import { balanceRoutes } from '../../../src/api/data/primary/balances.ts'
import { primaryBlockRoutes } from '../../../src/api/data/primary/blocks.ts'
import { lastActivityRoutes } from '../../../src/api/data/primary/last-activity.ts'
import { type UtxoDeps, utxoRoutes } from '../../../src/api/data/primary/utxos.ts'
import { formatBech32Address } from '../../../src/lib/bytes/bech32-address.ts'
import { formatNodeId, idToCb58 } from '../../../src/lib/bytes/ids.ts'
import { INDEXED_C, NO_OLDER } from '../../../src/services/node-outputs/index.ts'
import { startDataApi } from './data-app.ts'

export const id = (digit: string): string => idToCb58(digit.repeat(64))
/** A test network whose chains and asset have made-up ids. */
export const IDENTITY = {
  hrp: 'fuji',
  blockchainIds: { P: id('0'), X: id('1'), C: id('2') },
  avaxAssetId: id('3'),
}
export const owner = (number: number): string =>
  formatBech32Address(Buffer.from(number.toString(16).padStart(40, '0'), 'hex'), 'fuji')
export const node = (digit: string): string => formatNodeId(digit.repeat(40))
export const P = '/v1/networks/fuji/blockchains/p-chain'
export const X = '/v1/networks/fuji/blockchains/x-chain'
export const C = '/v1/networks/fuji/blockchains/c-chain'

/** What operations of P, X and C need beside queries: an index that knows all there is, at block 7 of each chain. */
export const COMPLETE = {
  identity: async () => IDENTITY,
  older: { of: async () => NO_OLDER, hold: async () => true },
  cMemories: { of: async () => INDEXED_C, hold: async () => true },
  isIndexed: () => true,
  maxIndexAgeMs: 10_000,
  now: () => 0,
}
export const progressOf = (streams: readonly string[]) => async () =>
  streams.map((stream) => ({ stream, tip: { height: 7n }, currentAtMs: 0n }))
export const PRIMARY_PROGRESS = progressOf(['testnet:P', 'testnet:X', 'testnet:C'])

/** Whole seconds of the clock, which stands shortly before the next one. */
export const CLOCK_SECONDS = 9

/** What the index was asked for: the members of the query; `more` is a second argument. */
type Asked = Record<string, unknown>

const streams = ['testnet:P', 'testnet:X', 'testnet:C', 'mainnet:P', 'mainnet:X', 'mainnet:C', 'eip155:1', 'eip155:5']
const evmChain = (chainId: string, isTestnet: boolean) => ({ chainId, isTestnet })
const block = {
  height: 7n,
  id: 'a'.repeat(64),
  parentId: 'b'.repeat(64),
  time: 5n,
  type: 'BanffStandardBlock',
  size: 9,
}
/** An index that answers every list with a page behind which there is another. */
function indexOf(asked: Asked[]) {
  const ask =
    <T>(answer: T) =>
    async (query: unknown, more?: unknown): Promise<T> => {
      asked.push({ ...(query as Asked), ...(more === undefined ? {} : { more }) })
      return answer
    }
  return {
    progress: progressOf(streams),
    utxos: { list: ask({ utxos: [], next: { value: 5n, key: 'a'.repeat(32) } }) },
    balances: { groups: ask([]) },
    activity: { last: ask(undefined) },
    blocks: {
      atHeight: ask({ ...block, txIds: [] }),
      withId: ask({
        ...block,
        type: 'ApricotProposalBlock',
        txIds: ['c'.repeat(64)],
        outerId: 'd'.repeat(64),
        outerParentId: 'e'.repeat(64),
        proposer: { nodeId: 'f'.repeat(40), pChainHeight: 3n, time: 4n },
      }),
      proposedBy: ask({ blocks: [], next: { time: 5n, height: 7n } }),
    },
    evm: {
      latestBlocks: ask({ blocks: [], next: { time: 5n, stream: 1, height: 7n } }),
      latestTransactions: ask({ transactions: [], next: { time: 5n, stream: 1, height: 7n, index: 2 } }),
      contracts: async () => [],
    },
  }
}

/** The indexed API over such an index. */
export async function startAsked() {
  const asked: Asked[] = []
  const deps = {
    ...COMPLETE,
    index: indexOf(asked),
    now: () => CLOCK_SECONDS * 1_000 + 999,
    chains: {
      list: async () => [evmChain('1', false), evmChain('5', true)],
      streams: async () =>
        new Map([
          ['1', 'eip155:1'],
          ['5', 'eip155:5'],
        ]),
    },
    proofsOf: async () => new Map(),
  }
  const app = await startDataApi([
    ...utxoRoutes(deps as unknown as UtxoDeps),
    ...balanceRoutes({ ...(deps as unknown as UtxoDeps), edge: 'strict' }),
    ...lastActivityRoutes(deps as unknown as UtxoDeps),
    ...primaryBlockRoutes(deps as unknown as UtxoDeps),
    ...evmLatestRoutes(deps as never),
  ])
  const get = async (url: string) => {
    const answer = await app.inject(url)
    return { status: answer.statusCode, body: answer.json() }
  }
  const post = async (url: string, addresses: string) => {
    const answer = await app.inject({ method: 'POST', url, payload: { addresses } })
    return { status: answer.statusCode, body: answer.json() }
  }
  return { asked, get, post, close: () => app.close() }
}
