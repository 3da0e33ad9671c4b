import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { AVALANCHE_CAIP2 } from '../../src/chains/avalanche/index.ts'
import type { WalletAccount } from '../../src/chains/capabilities.ts'
import { createChains } from '../../src/chains/index.ts'
import type { ChainSettings } from '../../src/chains/settings.ts'
import { formatBech32Address } from '../../src/lib/bytes/bech32-address.ts'
import { idToCb58 } from '../../src/lib/bytes/ids.ts'
import { startSandboxEvm } from '../sandbox/evm-chain.ts'
import { readContext } from '../support/balances/balance-reads.ts'
import { type FaultServerOptions, startFaultServer } from '../support/upstream/fault-server.ts'
import { TEST_LIMITS } from '../support/upstream/upstream-pool.ts'
import { AVAX, emptyLedger, secpUtxo } from './avalanche/ledger-data.ts'
import { type LedgerNode, startLedgerNode } from './avalanche/ledger-node.ts'

const MAINNET = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'
const DEVNET = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1'
const BITCOIN = '000000000019d6689c085ae165831e93'
const GENESIS = '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f'
const OTHER_GENESIS = '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206'
const OWNER = '9WhJgnvkWKpDyYbC2eCd63uASi49p9jxn3paoDwRrA6F'
const ADDRESS = '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2'

const solana = (genesis: string, lamports: number): FaultServerOptions => ({
  answer: ({ method, params }) => {
    const [first] = params as unknown[]
    if (method === 'getGenesisHash') return genesis
    if (method === 'getSlot') return 1_000
    if (method === 'getTokenAccountsByOwner') return { context: { slot: 1_000 }, value: [] }
    return {
      context: { slot: 1_000 },
      value: (first as string[]).map(() => ({ lamports, owner: OWNER, data: ['', 'base64'] })),
    }
  },
})
const sums = (funded: number) => ({ funded_txo_sum: funded, spent_txo_sum: 0 })
const esplora = (genesis: string, satoshi: number): FaultServerOptions => ({
  handle: ({ url = '' }) => ({
    body: url.endsWith('/block-height/0')
      ? genesis
      : JSON.stringify({ address: ADDRESS, chain_stats: sums(satoshi), mempool_stats: sums(0) }),
  }),
})
const blockbook = (genesis: string, satoshi: number): FaultServerOptions => ({
  handle: ({ url = '' }) => ({
    body: JSON.stringify(
      url.endsWith('/block-index/0')
        ? { blockHash: genesis }
        : {
            address: ADDRESS,
            balance: `${satoshi}`,
            unconfirmedBalance: '0',
            totalReceived: `${satoshi}`,
            totalSent: '0',
          },
    ),
  }),
})

async function start(servers: readonly FaultServerOptions[]) {
  const started = await Promise.all(servers.map((server) => startFaultServer(server)))
  onTestFinished(async () => {
    await Promise.all(started.map((server) => server.close()))
  })
  return started
}

async function reading(caip2Id: string, account: string | WalletAccount, settings: Partial<ChainSettings>) {
  const asked = typeof account === 'string' ? { id: account } : account
  const chains = createChains(
    { evm: {}, bitcoin: {}, solana: {}, avalanche: {}, ...settings },
    { limits: TEST_LIMITS, tokens: { tokens: () => [] }, xpubGap: 20, pool: {}, logger: pino({ enabled: false }) },
  )
  onTestFinished(() => chains.close())
  return async () => {
    const found = await chains.byId.get(caip2Id)?.source.readBalances([asked], readContext())
    const outcome = found?.get(asked.id)
    return outcome?.ok ? outcome.value : String(outcome?.error.message)
  }
}

function readingOf(kind: 'solana' | 'esplora' | 'blockbook', servers: readonly ({ url: string } | undefined)[]) {
  const upstreams = servers.map((one) => ({ url: one?.url, kind }))
  if (kind === 'solana')
    return reading(`solana:${MAINNET}`, OWNER, { solana: { [MAINNET]: { name: 'x', upstreams } as never } })
  const setting = { name: 'x', network: 'mainnet', upstreams }
  return reading(`bip122:${BITCOIN}`, ADDRESS, { bitcoin: { [BITCOIN]: setting as never } })
}

it.each([
  ['solana', solana('5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d', 7), solana(`${DEVNET}wcaWoxPkrZBG`, 0)],
  ['esplora', esplora(GENESIS, 7), esplora(OTHER_GENESIS, 0)],
  ['blockbook', blockbook(GENESIS, 7), blockbook(OTHER_GENESIS, 0)],
] as const)(
  'a %s server of another network among the right ones is no answer while these are down',
  async (kind, right, wrong) => {
    const servers = await start([right, wrong])
    const read = await readingOf(kind, servers)
    const seven = kind === 'solana' ? { native: 7n } : { confirmed: 7n }
    expect(await read()).toMatchObject(seven)
    servers[0]?.set({ status: 500 })
    expect(await read()).toMatch(/status 500/)
    servers[0]?.set({})
    expect(await read()).toMatchObject(seven)
  },
)

it.each([
  ['solana', solana('5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d', 7), solana(`${DEVNET}wcaWoxPkrZBG`, 0)],
  ['esplora', esplora(GENESIS, 7), esplora(OTHER_GENESIS, 0)],
  ['blockbook', blockbook(GENESIS, 7), blockbook(OTHER_GENESIS, 0)],
] as const)(
  'of a single %s server whose place one of another network takes nothing is told',
  async (kind, right, wrong) => {
    let there: FaultServerOptions = right
    const [server] = await start([
      {
        ...(right.answer && { answer: (call) => there.answer?.(call) }),
        ...(right.handle && { handle: (...request) => there.handle?.(...request) }),
      },
    ])
    const read = await readingOf(kind, [server])
    const told = () => read().catch(String)
    expect(await told()).toMatchObject(kind === 'solana' ? { native: 7n } : { confirmed: 7n })
    // Who it is is asked once in five seconds at most.
    await sleep(5_100)
    await server?.down()
    there = wrong
    await server?.up()
    const all: unknown[] = []
    await expect
      .poll(async () => {
        all.push(await told())
        return all.at(-1)
      })
      .toMatch('server is not on')
    // That it is away, or who is there, but no number.
    expect(all.filter((one) => typeof one !== 'string')).toEqual([])
  },
)

it.each([
  ['solana', solana('5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d', 7)],
  ['esplora', esplora(GENESIS, 7)],
  ['blockbook', blockbook(GENESIS, 7)],
] as const)('a %s server that cannot tell its network is believed, and asked for it once', async (kind, right) => {
  let asked = 0
  const [server] = await start([
    {
      ...right,
      faults({ path, body }) {
        if (!/getGenesisHash|\/block-(?:height|index)\/0$/.test(path + body)) return {}
        asked += 1
        return kind === 'solana'
          ? { rpcError: { code: -32_603, message: 'internal error', methods: ['getGenesisHash'] } }
          : { status: 500 }
      },
    },
  ])
  const read = await readingOf(kind, [server])
  for (const _ of ['first', 'second'])
    expect(await read()).toMatchObject(kind === 'solana' ? { native: 7n } : { confirmed: 7n })
  expect(asked).toBe(1)
})

it('a Blockbook that still follows the chain is on no other network, and answers as soon as it has followed', async () => {
  // Before 0.5 it tells how far it is at every path meanwhile.
  const status = {
    blockbook: { initialSync: true, bestHeight: 5 },
    backend: { blocks: 6, bestBlockHash: OTHER_GENESIS },
  }
  let isReady = false
  const { handle } = blockbook(GENESIS, 7)
  const [server] = await start([
    { handle: (...request) => (isReady ? handle?.(...request) : { body: JSON.stringify(status) }) },
  ])
  const setting = { name: 'x', network: 'mainnet', upstreams: [{ url: server?.url, kind: 'blockbook' }] }
  const read = await reading(`bip122:${BITCOIN}`, ADDRESS, { bitcoin: { [BITCOIN]: setting as never } })
  expect(await read()).toMatch('blockbook still follows the chain')
  isReady = true
  expect(await read()).toMatchObject({ confirmed: 7n })
})

it.each([
  ['by the ID that is configured', 1_338],
  ['by the first that tells its ID', undefined],
])('an Avalanche node of another network with the same prefix is no answer: %s', async (_, networkId) => {
  const nodes = await Promise.all(
    [1_338, 1_337].map((id) => startLedgerNode({ ...emptyLedger(), networkId: id, hrp: 'custom' })),
  )
  const [right, wrong] = nodes as [LedgerNode, LedgerNode]
  onTestFinished(async () => {
    await Promise.all(nodes.map((node) => node.close()))
  })
  right.ledger.memories.set('X', [secpUtxo('01'.repeat(20), 7n)])
  right.reindex()
  let down = false
  right.before = () => (down ? { code: -32005, message: 'too busy' } : undefined)
  const avalanche = {
    testnet: { upstreams: nodes.map(({ url }) => ({ url })), networkId, avaxAssetId: idToCb58(AVAX) },
  }
  const address = formatBech32Address(Buffer.alloc(20, 1), 'custom')
  const account = { id: 'mine', addresses: [address], extendedPublicKeys: [], filterOutDust: true }
  const read = await reading(AVALANCHE_CAIP2.testnet.X, account, { avalanche })
  expect(await read()).toMatchObject({ native: 7n })
  down = true
  expect(await read()).toMatch(/too busy/)
  expect(wrong.calls.some(({ method }) => method === 'info.getNetworkID')).toBe(true)
  down = false
  // Parts of the read that failed may still be on their way, and are joined.
  await expect.poll(read).toMatchObject({ native: 7n })
})

it('another network that is begun under the address of a single Avalanche node is no answer', async () => {
  const node = await startLedgerNode({ ...emptyLedger(), networkId: 1_338, hrp: 'custom' })
  onTestFinished(() => node.close())
  node.ledger.memories.set('X', [secpUtxo('01'.repeat(20), 7n)])
  node.ledger.heights.P = 1_000
  node.reindex()
  const avalanche = { testnet: { upstreams: [{ url: node.url }], avaxAssetId: idToCb58(AVAX) } }
  const account = {
    id: 'mine',
    addresses: [formatBech32Address(Buffer.alloc(20, 1), 'custom')],
    extendedPublicKeys: [],
    filterOutDust: true,
  }
  const read = await reading(AVALANCHE_CAIP2.testnet.X, account, { avalanche })
  expect(await read()).toMatchObject({ native: 7n })
  Object.assign(node.ledger, { networkId: 1_337 })
  node.ledger.memories.set('X', [])
  node.ledger.heights.P = 1
  node.reindex()
  // Where its connections stay open its tip tells, which is looked at every five seconds.
  await expect.poll(read).toMatch('server is not on avalanche:testnet')
})

it('an EVM server of another chain is passed over', async () => {
  const [wrong, right] = await Promise.all([1, 43_114].map((chainId) => startSandboxEvm({ chainId })))
  if (!wrong || !right) throw new Error('no chains')
  onTestFinished(async () => {
    await Promise.all([wrong.stop(), right.stop()])
  })
  const upstreams = [wrong, right].map(({ url }) => ({ url }))
  const setting = {
    name: 'x',
    upstreams,
    tokenLists: [],
    blockTimeMs: 1_000,
    native: { name: 'Avalanche', symbol: 'AVAX', decimals: 18 },
  }
  const id = right.accounts[1] as string
  const read = await reading('eip155:43114', id, { evm: { '43114': setting as never } })
  expect(await read()).toMatchObject({ native: expect.any(BigInt) })
  expect(await read()).toMatchObject({ native: expect.any(BigInt) })
  await right.stop()
  await expect(read()).rejects.toThrow('connection refused')
})

it('an EVM server of another chain that finds tokens names none in place of the one that is right', async () => {
  const right = await startSandboxEvm({ chainId: 43_114 })
  onTestFinished(() => right.stop())
  const held = right.tokens.spam
  const finders = await start([finder('0x1', [], 0), finder('0xa86a', [held], 100)])
  const read = await reading('eip155:43114', right.accounts[1] as string, evm([...finders, right]))
  await expect.poll(read).toMatchObject({ tokens: [expect.objectContaining({ address: held })] })
})

/** An EVM server that finds tokens and runs no calls. */
function finder(chainId: string, tokens: string[], latencyMs: number): FaultServerOptions {
  return {
    answer: ({ method, params }) => {
      if (method === 'eth_chainId') return chainId
      const [address] = params as unknown[]
      return { address, tokenBalances: tokens.map((contractAddress) => ({ contractAddress, tokenBalance: '0x1' })) }
    },
    faults: {
      latencyMs,
      rpcError: { code: -32601, message: 'method not found', methods: ['eth_call', 'eth_blockNumber'] },
    },
  }
}

function evm(servers: readonly { url: string }[]): Partial<ChainSettings> {
  const native = { name: 'Avalanche', symbol: 'AVAX', decimals: 18 }
  const upstreams = servers.map(({ url }) => ({ url }))
  const setting = { name: 'x', upstreams, tokenLists: [], blockTimeMs: 1_000, native }
  return { evm: { '43114': setting as never } }
}
