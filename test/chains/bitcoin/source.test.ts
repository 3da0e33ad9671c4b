import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { BitcoinBackend } from '../../../src/chains/bitcoin/backend.ts'
import { createBlockbookBackend } from '../../../src/chains/bitcoin/blockbook.ts'
import { createElectrumBackend } from '../../../src/chains/bitcoin/electrum/backend.ts'
import { createElectrumClient } from '../../../src/chains/bitcoin/electrum/client.ts'
import { createEsploraBackend } from '../../../src/chains/bitcoin/esplora.ts'
import { createBitcoinBalanceSource } from '../../../src/chains/bitcoin/index.ts'
import type { BitcoinBalances, Outcome, ReadContext } from '../../../src/chains/capabilities.ts'
import { CancelledError, DeadlineError, UpstreamRateLimitedError } from '../../../src/errors.ts'
import { createUpstreamPool, DEFAULT_LIMITS, type UpstreamPool } from '../../../src/upstream/index.ts'
import { type BitcoinChain, startBitcoinChain } from '../../sandbox/bitcoin-chain.ts'
import { balancesOf, bitcoinNative, errorOf, readContext } from '../../support/balances/balance-reads.ts'

const TESTNET = 'bip122:000000000933ea01ad0ee984209779ba'
const MAINNET = 'bip122:000000000019d6689c085ae165831e93'
const network = 'regtest'

const poolOf = (url: string) => createUpstreamPool('bitcoin', [{ url }], DEFAULT_LIMITS)

let chain: BitcoinChain
const backends = new Map<string, BitcoinBackend>()
const closers: (() => unknown)[] = []

beforeAll(async () => {
  chain = await startBitcoinChain()
  const http = (url: string) => {
    const pool = poolOf(url)
    closers.push(() => pool.close())
    return { pool }
  }
  backends.set('esplora', createEsploraBackend(http(chain.esploraUrl)))
  backends.set('blockbook', createBlockbookBackend(http(chain.blockbookUrl)))
  const client = createElectrumClient({
    network,
    servers: [{ url: chain.electrumUrl }],
    budget: DEFAULT_LIMITS,
  })
  closers.push(() => client.close())
  backends.set('electrum', createElectrumBackend({ client }))
})

afterAll(async () => {
  await Promise.all(closers.map((close) => close()))
  await chain.close()
})

const source = (list: BitcoinBackend[], caip2Id = TESTNET) =>
  createBitcoinBalanceSource({ caip2Id, native: bitcoinNative, network, backends: list })

const backend = (kind: string): BitcoinBackend => {
  const found = backends.get(kind)
  if (!found) throw new Error(kind)
  return found
}

const failing = (error: Error): BitcoinBackend => ({
  name: 'failing',
  height: async () => undefined,
  readBalances: () => Promise.reject(error),
})

describe.each(['esplora', 'blockbook', 'electrum'])('bitcoin balances over %s', (kind) => {
  it('tells what the node itself tells, for every kind of address', async () => {
    const accounts = Object.values(chain.accounts)
    const ids = accounts.map(({ addresses }) => ({ id: addresses.testnet }))
    const balances = await source([backend(kind)]).readBalances(ids, readContext())
    expect([...balances.keys()].sort()).toEqual(ids.map(({ id }) => id).sort())
    for (const account of accounts) {
      const { confirmed, unconfirmed } = balancesOf(balances.get(account.addresses.testnet))
      const own = await chain.ownAnswer(account.name)
      expect({ name: account.name, confirmed, total: confirmed + unconfirmed }).toEqual({ name: account.name, ...own })
    }
  })

  it('has a negative unconfirmed balance while an own spend waits', async () => {
    const { testnet } = chain.accounts.bob.addresses
    const balances = await source([backend(kind)]).readBalances([{ id: testnet }], readContext())
    expect(balancesOf(balances.get(testnet))).toEqual({ confirmed: 25_000_000n, unconfirmed: -10_001_000n })
  })

  it('answers the good addresses and names the bad ones', async () => {
    const good = chain.accounts.alice.addresses.testnet
    const other = chain.accounts.alice.addresses.mainnet
    const balances = await source([backend(kind)]).readBalances(
      [{ id: other }, { id: good }, { id: `${good}x` }, { id: good }],
      readContext(),
    )
    expect(balances.size).toBe(3)
    expect(balancesOf(balances.get(good)).confirmed).toBe(137_653_322n)
    expect(errorOf(balances.get(other)).message).toBe(`address ${other} does not belong to testnet`)
    expect(errorOf(balances.get(`${good}x`)).message).toContain('bad checksum')
  })

  it('answers mainnet forms when it stands in for mainnet', async () => {
    const { mainnet } = chain.accounts.carol.addresses
    const balances = await source([backend(kind)], MAINNET).readBalances([{ id: mainnet }], readContext())
    expect(balancesOf(balances.get(mainnet)).confirmed).toBe(87_345_678n)
  })
})

describe('failover between backends', () => {
  const ids = () => [{ id: chain.accounts.alice.addresses.testnet }]
  const first = <T>(map: Map<string, T>) => [...map.values()][0]

  it('asks the next backend when the first fails', async () => {
    const list = [failing(new Error('down')), backend('electrum')]
    expect(balancesOf(first(await source(list).readBalances(ids(), readContext()))).confirmed).toBe(137_653_322n)
  })

  it('leaves time for the next backend when the first hangs', async () => {
    const hanging: BitcoinBackend = {
      name: 'hanging',
      height: async () => undefined,
      readBalances: (_, { signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
    }
    const context = readContext({ deadline: Date.now() + 5_000 })
    const balances = await source([hanging, backend('esplora')]).readBalances(ids(), context)
    expect(balancesOf(first(balances)).confirmed).toBe(137_653_322n)
  })

  it('servers that keep silent are late, not cancelled', async () => {
    const silent = createServer(() => undefined)
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as AddressInfo
    const pool = poolOf(`http://127.0.0.1:${port}`)
    const backends = [createEsploraBackend({ pool })]
    const read = await source(backends).readBalances(ids(), readContext({ deadline: Date.now() + 300 }))
    expect(errorOf(first(read))).toBeInstanceOf(DeadlineError)
    silent.closeAllConnections()
    silent.close()
    await pool.close()
  })

  it('what was answered by the deadline is kept, and what was cut off then is late, not cancelled', async () => {
    const { alice, bob } = chain.accounts
    const time = new AbortController()
    const cut: BitcoinBackend = {
      name: 'cut',
      height: async () => undefined,
      readBalances: async () => {
        time.abort(new DeadlineError('the time is over'))
        return new Map<string, Outcome<BitcoinBalances>>([
          [alice.addresses.regtest, { ok: true, value: { confirmed: 1n, unconfirmed: 0n } }],
          [bob.addresses.regtest, { ok: false, error: new CancelledError() }],
        ])
      },
    }
    const asked = [{ id: alice.addresses.testnet }, { id: bob.addresses.testnet }]
    const read = await source([cut]).readBalances(asked, readContext({ signal: time.signal }))
    expect(balancesOf(read.get(alice.addresses.testnet)).confirmed).toBe(1n)
    expect(errorOf(read.get(bob.addresses.testnet))).toBeInstanceOf(DeadlineError)
  })

  it('asks again only for the addresses that are missing', async () => {
    const seen: string[][] = []
    const partial: BitcoinBackend = {
      name: 'partial',
      height: async () => undefined,
      readBalances: async (addresses) => {
        seen.push(addresses.map(({ address }) => address))
        const [one] = addresses
        return new Map(one ? [[one.address, { ok: true, value: { confirmed: 1n, unconfirmed: 0n } }]] : [])
      },
    }
    const { alice, bob } = chain.accounts
    const asked = [{ id: alice.addresses.testnet }, { id: bob.addresses.testnet }]
    const balances = await source([partial, partial]).readBalances(asked, readContext())
    expect(seen).toEqual([[alice.addresses.regtest, bob.addresses.regtest], [bob.addresses.regtest]])
    expect([...balances.values()].every(({ ok }) => ok)).toBe(true)
  })

  it.each([1, 2])(
    'a call of the last of %i backends has the deadline of its time, which a busy process extends',
    async (count) => {
      let deadline = Date.now() + 5_000
      const begun = deadline
      const given: (number | undefined)[] = []
      const getJson: UpstreamPool['getJson'] = (path, options) => {
        if (path.startsWith('/address/')) {
          given.push(options?.deadline)
          deadline += 1_000
        }
        return Promise.reject(new Error('down'))
      }
      const last = createEsploraBackend({ pool: { name: 'last', getJson } as UpstreamPool })
      const { alice, bob } = chain.accounts
      const context: ReadContext = {
        signal: new AbortController().signal,
        get deadline() {
          return deadline
        },
      }
      const list = [failing(new Error('down')), last].slice(-count)
      await source(list).readBalances([{ id: alice.addresses.testnet }, { id: bob.addresses.testnet }], context)
      expect(given).toEqual([begun, begun + 1_000])
    },
  )

  it('says rate limited only when every backend was', async () => {
    const limited = failing(new UpstreamRateLimitedError('429'))
    const both = await source([limited, limited]).readBalances(ids(), readContext())
    expect(errorOf(first(both))).toBeInstanceOf(UpstreamRateLimitedError)
    for (const list of [
      [limited, failing(new Error('down'))],
      [failing(new Error('down')), limited],
    ]) {
      expect(errorOf(first(await source(list).readBalances(ids(), readContext()))).message).toBe('down')
    }
  })

  it('ends when the reader leaves, and does not fail over', async () => {
    const controller = new AbortController()
    const leaving: BitcoinBackend = {
      name: 'leaving',
      height: async () => undefined,
      readBalances: async () => {
        controller.abort()
        throw new Error('cut')
      },
    }
    const read = source([leaving, backend('esplora')]).readBalances(ids(), readContext({ signal: controller.signal }))
    await expect(read).rejects.toThrow('cancelled')
  })
})
