import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { payments } from 'bitcoinjs-lib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { BitcoinBackend } from '../../../src/chains/bitcoin/backend.ts'
import { createBlockbookBackend } from '../../../src/chains/bitcoin/blockbook.ts'
import { createElectrumBackend } from '../../../src/chains/bitcoin/electrum/backend.ts'
import { createElectrumClient } from '../../../src/chains/bitcoin/electrum/client.ts'
import { scriptHash } from '../../../src/chains/bitcoin/electrum/hashes.ts'
import { createEsploraBackend } from '../../../src/chains/bitcoin/esplora.ts'
import { createBitcoinBalanceSource } from '../../../src/chains/bitcoin/index.ts'
import { createUpstreamPool, DEFAULT_LIMITS } from '../../../src/upstream/index.ts'
import { bitcoinNative, readContext } from '../../support/balances/balance-reads.ts'
import { createRandom, type Random } from '../../support/generated/random.ts'
import { electrumLine, type FakeElectrum, startFakeElectrum } from './electrum/fake-server.ts'

const GENESIS = '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f'
const CAIP2 = 'bip122:000000000019d6689c085ae165831e93'

/** Sums of an address, satoshi. */
interface History {
  funded: bigint
  spent: bigint
  waitingIn: bigint
  waitingOut: bigint
}

/** What the three servers tell, and whether each of them is in trouble. */
const world = {
  histories: new Map<string, History>(),
  byScript: new Map<string, History>(),
  random: createRandom(1),
  trouble: 0,
}
let electrum: FakeElectrum
const closing: (() => unknown)[] = []
const backends: BitcoinBackend[] = []

const esplora = (address: string, one: History) =>
  `{"address":"${address}","chain_stats":{"funded_txo_sum":${one.funded},"spent_txo_sum":${one.spent}},` +
  `"mempool_stats":{"funded_txo_sum":${one.waitingIn},"spent_txo_sum":${one.waitingOut}}}`

const blockbook = (address: string, one: History) =>
  JSON.stringify({
    address,
    balance: `${one.funded - one.spent}`,
    totalReceived: `${one.funded}`,
    totalSent: `${one.spent}`,
    unconfirmedBalance: `${one.waitingIn - one.waitingOut}`,
  })

async function serve(write: (address: string, one: History) => string): Promise<string> {
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    if (path === '/block-height/0') return void response.end(GENESIS)
    if (path.startsWith('/api/v2/block-index')) return void response.end(JSON.stringify({ blockHash: GENESIS }))
    const address = path.split('?')[0]?.split('/').at(-1) ?? ''
    const one = world.histories.get(address)
    if (!one || world.random.chance(world.trouble)) response.statusCode = 500
    response.end(one ? write(address, one) : '')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(
    () => server.close(),
    () => server.closeAllConnections(),
  )
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

beforeAll(async () => {
  electrum = await startFakeElectrum()
  electrum.fault = ({ id, method, params }) => {
    if (method !== 'blockchain.scripthash.get_balance') return undefined
    const one = world.byScript.get(String(params[0]))
    if (!one || world.random.chance(world.trouble))
      return `${JSON.stringify({ jsonrpc: '2.0', id, error: { code: 1, message: 'history too large' } })}\n`
    // Amounts beyond what a double holds come as plain digits, too.
    const answer = electrumLine(id, { confirmed: 'c', unconfirmed: 'u' })
    return answer.replace('"c"', `${one.funded - one.spent}`).replace('"u"', `${one.waitingIn - one.waitingOut}`)
  }
  const network = 'mainnet'
  const limits = { ...DEFAULT_LIMITS, requestsPerSecond: 100_000, maxAttempts: 1, hedgeMinMs: 0, breakerFailures: 1e9 }
  const http = async (write: typeof esplora) => {
    const pool = createUpstreamPool('bitcoin', [{ url: await serve(write) }], limits)
    closing.push(() => pool.close())
    return { pool }
  }
  const client = createElectrumClient({
    network,
    servers: [{ url: electrum.url }],
    budget: DEFAULT_LIMITS,
  })
  closing.push(() => client.close())
  backends.push(
    createEsploraBackend(await http(esplora)),
    createBlockbookBackend(await http(blockbook)),
    createElectrumBackend({ client }),
  )
})
afterAll(async () => {
  await Promise.all(closing.map((close) => close()))
  await electrum.close()
})

function historyOf(random: Random): History {
  const amount = () => random.pick([0n, 546n, 1_000_000n, BigInt(random.below(2 ** 40)), 1_000_000_000_000_001n])
  const [spent, held, out] = [amount(), amount(), amount()]
  // The mempool takes no more than what blocks and mempool gave.
  return { funded: spent + held, spent, waitingIn: amount() % 1_000_000n, waitingOut: out % (held + 1n) }
}

function addressOf(random: Random): { address: string; script: Uint8Array } {
  const hash = random.bytes(20)
  const { address, output } = random.pick([
    () => payments.p2pkh({ hash }),
    () => payments.p2wpkh({ hash }),
    () => payments.p2sh({ hash }),
  ])()
  return { address: address as string, script: output as Uint8Array }
}

it('whichever servers fail at which address: a number is what the chain says', async () => {
  let [numbers, errors] = [0, 0]
  for (let seed = 1; seed <= 60; seed++) {
    const random = createRandom(seed)
    Object.assign(world, { random, trouble: random.chance(0.5) ? 0 : random.pick([0.1, 0.5]) })
    const accounts = random.list(random.between(1, 50), () => addressOf(random))
    for (const { address, script } of accounts) {
      const one = historyOf(random)
      world.histories.set(address, one)
      world.byScript.set(scriptHash(script), one)
    }
    const list = random.some(backends, random.between(1, 3))
    const source = createBitcoinBalanceSource({
      caip2Id: CAIP2,
      native: bitcoinNative,
      network: 'mainnet',
      backends: list,
    })
    const asked = [...accounts, ...random.some(accounts, 3)].map(({ address }) => ({ id: address }))
    const outcomes = await source.readBalances(asked, readContext({ deadline: Date.now() + 20_000 }))
    for (const { address } of accounts) {
      const outcome = outcomes.get(address)
      const { funded, spent, waitingIn, waitingOut } = world.histories.get(address) as History
      if (!outcome?.ok) {
        expect([seed, world.trouble > 0, outcome?.error.message]).toEqual([seed, true, expect.any(String)])
        errors += 1
        continue
      }
      expect([seed, outcome.value]).toEqual([seed, { confirmed: funded - spent, unconfirmed: waitingIn - waitingOut }])
      numbers += 1
    }
  }
  expect(numbers).toBeGreaterThan(500)
  expect(errors).toBeGreaterThan(10)
})
