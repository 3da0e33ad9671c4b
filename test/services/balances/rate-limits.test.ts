import pino from 'pino'
import { afterEach, expect, it } from 'vitest'
import { createChains } from '../../../src/chains/index.ts'
import type { ChainSettings } from '../../../src/chains/settings.ts'
import { type ChainQuery, createBalanceService } from '../../../src/services/balances/index.ts'
import { DEFAULT_LIMITS } from '../../../src/upstream/index.ts'
import { unpriced } from '../../support/balances/balance-api.ts'
import { type FaultServer, startFaultServer } from '../../support/upstream/fault-server.ts'

const P = 'avax:Sj7NVE3jXTbJvwFAiu7OEUo_8g8ctXMG'
const X = 'avax:8AJTpRj3SAqv1e80Mtl9em08LhvKEbkl'
const C = 'avax:YRLfeDBJpfEqUWe2FYR1OpXsnDDZeKWd'
const BITCOIN = '000000000933ea01ad0ee984209779ba'
const BLOCKBOOK = '000000000019d6689c085ae165831e93'
const SOLANA = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1'
const XPUB =
  'xpub6C4hsnHd2ktwJuqQ97DctTDFheXRxBLG7NNGMLNySiLaYR952BbNpDTBqiv6TvCTbTUwnjdzMVRruBp6TbVutVN2xY8aEopGtwroK6HEooK'
/** Long enough for a first answer also on a busy machine. */
const DEADLINE_MS = 5_000
const SHORT_MS = 1_200

type Answer = { status: number; headers?: Record<string, string>; body: string }
type Refusal = (body: Buffer) => Answer

const rpcError = (status: number, code: number, message: string): Refusal => {
  const error = { code, message }
  const entry = (id: unknown) => ({ jsonrpc: '2.0', id, error })
  return (body) => {
    const asked: unknown = JSON.parse(body.toString() || '{"id":1}')
    const answer = Array.isArray(asked) ? asked.map(({ id }) => entry(id)) : entry((asked as { id: unknown }).id)
    return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(answer) }
  }
}
const plain =
  (status: number, body: string, headers: Record<string, string> = {}): Refusal =>
  () => ({ status, headers: { 'content-type': 'text/plain', ...headers }, body })

/** All the ways in which servers say that they are asked too often. */
const REFUSALS: Record<string, Refusal> = {
  '429': plain(429, 'Too Many Requests'),
  '429 that says when': plain(429, '', { 'retry-after': '1' }),
  '429 that says when, far beyond the deadline': plain(429, '', { 'retry-after': '120' }),
  '429 as JSON-RPC': rpcError(429, -32005, 'daily request count exceeded, request rate limited'),
  '503 that says when': plain(503, 'busy', { 'retry-after': '1' }),
  '403 in words': plain(403, '<html>Error 1015: you are being rate limited</html>'),
  '403 of a gateway': plain(403, '{"message":"API rate limit exceeded"}', { 'content-type': 'application/json' }),
}
/** Servers of documents have no error objects. */
const RPC_REFUSALS: Record<string, Refusal> = {
  'JSON-RPC error -32005': rpcError(200, -32005, 'limit exceeded'),
  'JSON-RPC error 429': rpcError(200, 429, 'slow down'),
}

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()))
})

/** Chains of every family that know nothing yet, over one server. */
async function coldChains(server: FaultServer) {
  const upstreams = [{ url: server.url }]
  const native = { name: 'Ether', symbol: 'ETH', decimals: 18 }
  const settings: ChainSettings = {
    evm: { '1': { upstreams, native, blockTimeMs: 2_000, multicall: '0xcA11bde05977b3631167028862bE2a173976CA11' } },
    bitcoin: {
      [BITCOIN]: { network: 'testnet', upstreams: [{ url: server.url, kind: 'esplora' }] },
      [BLOCKBOOK]: { network: 'mainnet', upstreams: [{ url: server.url, kind: 'blockbook' }] },
    },
    solana: { [SOLANA]: { upstreams } },
    avalanche: { testnet: { upstreams } },
  }
  const chains = createChains(settings, {
    limits: { ...DEFAULT_LIMITS, requestsPerSecond: 1_000 },
    tokens: { tokens: () => [] },
    xpubGap: 20,
    pool: {},
    logger: pino({ level: 'silent' }),
  })
  // As in the server: somebody looks for the network's ids with more patience than the readers have.
  const stop = new AbortController()
  chains.discover(stop.signal)
  closers.push(async () => {
    stop.abort()
    await chains.close()
    await server.close()
  })
  return chains
}

const wallet = {
  addresses: ['fuji157y46037jdtxgd3sav5axm7yv9vc2ekl2v3rn9'],
  extendedPublicKeys: [],
  filterOutDust: true,
}
const all: ChainQuery[] = [
  { caip2Id: 'eip155:1', networkType: 'evm', accounts: [{ id: '0x00000000000000000000000000000000000000aa' }] },
  {
    caip2Id: `bip122:${BITCOIN}`,
    networkType: 'btc',
    accounts: [{ id: 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx' }],
  },
  { caip2Id: `bip122:${BLOCKBOOK}`, networkType: 'btc', accounts: [{ id: '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa' }] },
  {
    caip2Id: `solana:${SOLANA}`,
    networkType: 'svm',
    accounts: [{ id: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' }],
  },
  {
    caip2Id: P,
    networkType: 'pvm',
    accounts: [
      { id: 'a', ...wallet },
      { id: 'k', ...wallet, addresses: [], extendedPublicKeys: [XPUB] },
    ],
  },
  { caip2Id: X, networkType: 'avm', accounts: [{ id: 'a', ...wallet }] },
  { caip2Id: C, networkType: 'coreth', accounts: [{ id: 'a', ...wallet }] },
]

/** What each account of each chain is told. */
async function messages(
  chains: Awaited<ReturnType<typeof coldChains>>,
  queries = all,
  deadlineMs = DEADLINE_MS,
): Promise<Record<string, string>> {
  const service = createBalanceService({
    chainOf: (caip2Id) => chains.byId.get(caip2Id),
    prices: unpriced,
    judge: { judge: () => ({ trusted: true }), trustsUnlisted: () => true },
    deadlineMs,
    maxStaleMs: 0,
    cacheEntries: 100,
  })
  const { pending, later } = service.read(
    { chains: queries, currency: 'usd', showUntrustedTokens: true },
    new AbortController().signal,
  )
  const items = (await Promise.all([...pending, ...(await later)])).flat()
  return Object.fromEntries(items.map((item) => [`${item.caip2Id} ${item.id}`, item.ok ? 'balances' : item.message]))
}

const OPERATION = { evm: 'Evm', btc: 'Btc', svm: 'Svm', pvm: 'Pvm', avm: 'Avm', coreth: 'Coreth' }
const everyone = (cause: string, queries = all) =>
  Object.fromEntries(
    queries.flatMap(({ caip2Id, networkType, accounts }) =>
      accounts.map(({ id }) => [`${caip2Id} ${id}`, `[get${OPERATION[networkType]}Balances] ${cause}`]),
    ),
  )

it.each([
  ['of every family', REFUSALS, all],
  ['that speaks JSON-RPC', RPC_REFUSALS, all.filter(({ networkType }) => networkType !== 'btc')],
])(
  'a chain %s of which nothing is known yet says that it is asked too often, however its servers put it',
  async (...[, refusals, queries]) => {
    const told = await Promise.all(
      Object.entries(refusals).map(async ([name, refusal]) => {
        const server = await startFaultServer({ handle: (_request, body) => refusal(body) })
        return [name, await messages(await coldChains(server), queries)]
      }),
    )
    const expected = Object.keys(refusals).map((name) => [name, everyone('Rate limit exceeded', queries)])
    expect(Object.fromEntries(told)).toEqual(Object.fromEntries(expected))
  },
)

it('a chain whose servers do not answer is late, not asked too often', async () => {
  const server = await startFaultServer({ faults: { hang: 'headers' } })
  expect(await messages(await coldChains(server), all, SHORT_MS)).toEqual(everyone(`timed out after ${SHORT_MS} ms`))
})

it('another 403 is no rate limit', async () => {
  const server = await startFaultServer({ handle: () => plain(403, 'this key is not known')(Buffer.alloc(0)) })
  expect(await messages(await coldChains(server))).toEqual(everyone('no upstream of the chain could be reached'))
})
