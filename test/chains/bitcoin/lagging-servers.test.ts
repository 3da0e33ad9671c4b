import pino from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import { bitcoinHeadProbe } from '../../../src/chains/bitcoin/head-probe.ts'
import { createChains } from '../../../src/chains/index.ts'
import { readContext } from '../../support/balances/balance-reads.ts'
import { startFaultServer } from '../../support/upstream/fault-server.ts'
import { TEST_LIMITS } from '../../support/upstream/upstream-pool.ts'
import { electrumLine, startFakeElectrum } from './electrum/fake-server.ts'

const REFERENCE = '000000000019d6689c085ae165831e93'
const GENESIS = '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f'
const ADDRESS = '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2'

/**
 * An Esplora or Blockbook of this height, which tells of so many satoshi; without a height it has no such document.
 * `backend` is what a Blockbook tells of its node.
 */
const server = (height: number | undefined, satoshi: number, fails = false, backend: object = {}) =>
  startFaultServer({
    handle: ({ url = '' }) => {
      if (fails && url.includes('/address/')) return { status: 500, body: 'no such table' }
      if (url === '/block-height/0') return { body: GENESIS }
      if (url === '/api/v2/block-index/0') return { body: JSON.stringify({ blockHash: GENESIS }) }
      if (url === '/blocks/tip/height' && height !== undefined) return { body: `${height}\n` }
      if (url === '/api/v2' && height !== undefined)
        return { body: JSON.stringify({ blockbook: { bestHeight: height }, backend }) }
      if (!url.includes('/address/')) return { status: 404, body: 'no such page' }
      const sums = { funded_txo_sum: satoshi, spent_txo_sum: 0 }
      const none = { funded_txo_sum: 0, spent_txo_sum: 0 }
      const texts = { balance: `${satoshi}`, totalReceived: `${satoshi}`, totalSent: '0', unconfirmedBalance: '0' }
      return { body: JSON.stringify({ address: ADDRESS, chain_stats: sums, mempool_stats: none, ...texts }) }
    },
  })

/** The same of an Electrum server. */
const electrum = async (height: number | undefined, satoshi: number) => {
  const started = await startFakeElectrum()
  started.fault = ({ id, method }) => {
    if (method === 'blockchain.scripthash.get_balance') return electrumLine(id, { confirmed: satoshi, unconfirmed: 0 })
    if (method !== 'blockchain.headers.subscribe') return undefined
    if (height !== undefined) return electrumLine(id, { height, hex: '00' })
    return `${JSON.stringify({ id, error: { code: -32601, message: 'unknown method' } })}\n`
  }
  return started
}

/** An Electrum server with this as its newest block. */
const telling =
  (tip: unknown) =>
  ({ id, method }: { id: number; method: string }): string | undefined => {
    if (method === 'blockchain.headers.subscribe') return electrumLine(id, tip)
    return method === 'blockchain.scripthash.get_balance'
      ? electrumLine(id, { confirmed: 7, unconfirmed: 0 })
      : undefined
  }

/** An Electrum server that tells its height and no balance. */
const noBalances = ({ id, method }: { id: number; method: string }): string | undefined => {
  if (method === 'blockchain.headers.subscribe') return electrumLine(id, { height: 102, hex: '00' })
  if (method !== 'blockchain.scripthash.get_balance') return undefined
  return `${JSON.stringify({ id, error: { code: 1, message: 'history too large' } })}\n`
}

type Kind = 'esplora' | 'blockbook' | 'electrum'
const start = (kind: Kind, height: number | undefined, satoshi: number) =>
  kind === 'electrum' ? electrum(height, satoshi) : server(height, satoshi)

/** What the chain tells of the address over these servers, the first one preferred. */
async function reader(kinds: Kind | readonly Kind[], servers: readonly { url: string; close(): Promise<void> }[]) {
  const kindOf = (at: number): Kind => (typeof kinds === 'string' ? kinds : (kinds[at] as Kind))
  const upstreams = servers.map(({ url }, priority) => ({ url, kind: kindOf(priority), priority }))
  const chains = createChains(
    { evm: {}, bitcoin: { [REFERENCE]: { network: 'mainnet', upstreams } }, solana: {}, avalanche: {} },
    { limits: TEST_LIMITS, tokens: { tokens: () => [] }, xpubGap: 20, pool: {}, logger: pino({ enabled: false }) },
  )
  onTestFinished(async () => {
    await chains.close()
    await Promise.all(servers.map((one) => one.close()))
  })
  return async () => {
    const found = await chains.byId.get(`bip122:${REFERENCE}`)?.source.readBalances([{ id: ADDRESS }], readContext())
    const outcome = found?.get(ADDRESS)
    return outcome?.ok ? outcome.value : outcome?.error.message
  }
}

it.each(['esplora', 'blockbook'] as const)(
  'a %s that stands still is passed over for one that goes on',
  async (kind) => {
    const servers = await Promise.all([server(100, 5), server(102, 7)])
    const read = await reader(kind, servers)
    await expect.poll(read).toMatchObject({ confirmed: 7n })
    // Old news is better than none.
    servers[1]?.set({ status: 500 })
    expect(await read()).toMatchObject({ confirmed: 5n })
  },
)

it('one block is no lag, and a server that does not tell its height is asked as before', async () => {
  for (const height of [101, undefined]) {
    const servers = await Promise.all([server(height, 5), server(102, 7)])
    const read = await reader('esplora', servers)
    expect(await read()).toMatchObject({ confirmed: 5n })
    await expect.poll(() => servers[1]?.stats.requests).toBeGreaterThan(0)
    expect(await read()).toMatchObject({ confirmed: 5n })
  }
})

it('an Electrum server that stands still is passed over, from the first read on, and asked when nobody else is left', async () => {
  const servers = await Promise.all([electrum(100, 5), electrum(102, 7)])
  const read = await reader('electrum', servers)
  expect(await read()).toMatchObject({ confirmed: 7n })
  expect(await read()).toMatchObject({ confirmed: 7n })
  await servers[1]?.close()
  expect(await read()).toMatchObject({ confirmed: 5n })
})

it.each([
  ['electrum', 'electrum', 'electrum'],
  ['esplora', 'blockbook', 'electrum'],
] as [Kind, Kind, Kind][])(
  'of two that stand still, a %s and a %s, the preferred one is believed',
  async (...kinds) => {
    const [first, next, last] = kinds
    const servers = await Promise.all([start(first, 100, 5), start(next, 99, 4), start(last, 102, 7)])
    const read = await reader(kinds, servers)
    expect(await read()).toMatchObject({ confirmed: 7n })
    await servers[2].close()
    expect(await read()).toMatchObject({ confirmed: 5n })
  },
)

it('one block is no lag of Electrum servers, and one that does not tell its height is asked as before', async () => {
  for (const height of [101, undefined]) {
    const servers = await Promise.all([electrum(height, 5), electrum(102, 7)])
    const read = await reader('electrum', servers)
    expect([await read(), await read()]).toMatchObject([{ confirmed: 5n }, { confirmed: 5n }])
  }
})

it.each([
  ['esplora', 'blockbook'],
  ['blockbook', 'electrum'],
  ['electrum', 'esplora'],
] as [Kind, Kind][])('a single %s that stands still is passed over for the %s that goes on', async (kind, other) => {
  const servers = await Promise.all([start(kind, 100, 5), start(other, 102, 7)])
  const read = await reader([kind, other], servers)
  expect([await read(), await read()]).toMatchObject([{ confirmed: 7n }, { confirmed: 7n }])
  await servers[1]?.close()
  expect(await read()).toMatchObject({ confirmed: 5n })
})

it('a kind of servers that hangs does not keep the others from answering', async () => {
  const hanging = await startFakeElectrum()
  hanging.fault = () => ''
  const servers = [await server(100, 5), hanging]
  const read = await reader(['esplora', 'electrum'], servers)
  expect([await read(), await read()]).toMatchObject([{ confirmed: 5n }, { confirmed: 5n }])
})

it.each([
  ['esplora', 'electrum'],
  ['blockbook', 'esplora'],
  ['electrum', 'blockbook'],
] as [Kind, Kind][])(
  'of kind %s one that stands still is passed over for the %s that goes on, while another of its kind tells its height alone',
  async (kind, other) => {
    const silent = kind === 'electrum' ? await electrum(102, 7) : await server(102, 7, true)
    if ('fault' in silent) silent.fault = noBalances
    const servers = await Promise.all([start(kind, 100, 5), silent, start(other, 102, 7)])
    const read = await reader([kind, kind, other], servers)
    expect([await read(), await read()]).toMatchObject([{ confirmed: 7n }, { confirmed: 7n }])
    await servers[2]?.close()
    expect(await read()).toMatchObject({ confirmed: 5n })
  },
)

it.each([
  ['esplora', 'blockbook'],
  ['blockbook', 'electrum'],
  ['electrum', 'esplora'],
] as [Kind, Kind][])(
  'a single %s that stands still is passed over for the %s that goes on, where only the second one of these tells its height',
  async (kind, other) => {
    const silent = await start(other, undefined, 7)
    if ('fault' in silent) silent.fault = telling({ height: null })
    const servers = await Promise.all([start(kind, 100, 5), silent, start(other, 102, 7)])
    const read = await reader([kind, other, other], servers)
    expect([await read(), await read()]).toMatchObject([{ confirmed: 7n }, { confirmed: 7n }])
  },
)

it.each(['esplora', 'blockbook', 'electrum'] as const)(
  'of servers of the kind %s it is those who go on whose height counts against other kinds',
  async (kind) => {
    const other = kind === 'esplora' ? 'blockbook' : 'esplora'
    const servers = await Promise.all([start(kind, 100, 5), start(kind, 110, 7), start(other, 105, 6)])
    const read = await reader([kind, kind, other], servers)
    expect([await read(), await read()]).toMatchObject([{ confirmed: 7n }, { confirmed: 7n }])
  },
)

describe('a Blockbook that says that it cannot know', () => {
  const lost = { error: 'GetChainInfo: Post "http://127.0.0.1:8332": connect: connection refused' }

  it.each([
    ['its node does not answer', lost],
    ['2 blocks behind its node', { blocks: 102 }],
  ])('is not believed, be it the only server: %s', async (reason, backend) => {
    const alone = await reader('blockbook', [await server(100, 5, false, backend)])
    expect([await alone(), await alone()]).toEqual(Array(2).fill(expect.stringContaining(reason)))
  })

  it.each(['blockbook', 'electrum'] as const)('is passed over for a %s', async (other) => {
    const servers = await Promise.all([server(102, 5, false, lost), start(other, 102, 7)])
    const read = await reader(['blockbook', other], servers)
    expect([await read(), await read()]).toMatchObject([{ confirmed: 7n }, { confirmed: 7n }])
  })

  it.each([{}, { blocks: 101 }, { blocks: 0 }])('is one that says so, and no other: %o', async (backend) => {
    const read = await reader('blockbook', [await server(100, 5, false, backend)])
    expect([await read(), await read()]).toMatchObject([{ confirmed: 5n }, { confirmed: 5n }])
  })
})

it('heights are read off the documents, and nothing else is', () => {
  expect(bitcoinHeadProbe('esplora').parse('885000\n')).toBe(885_000n)
  expect(bitcoinHeadProbe('blockbook').parse('{"blockbook":{"bestHeight":885000}}')).toBe(885_000n)
  for (const text of ['', '-1', '1.5', '1e3', '<html>', '{}']) {
    expect(() => bitcoinHeadProbe('esplora').parse(text)).toThrow()
    expect(() => bitcoinHeadProbe('blockbook').parse(text)).toThrow()
  }
})
