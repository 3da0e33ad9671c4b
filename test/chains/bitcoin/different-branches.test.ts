import pino from 'pino'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createChains } from '../../../src/chains/index.ts'
import type { AccountName } from '../../sandbox/bitcoin/accounts.ts'
import { type BitcoinChain, startBitcoinChain } from '../../sandbox/bitcoin-chain.ts'
import { balancesOf, readContext } from '../../support/balances/balance-reads.ts'
import { TEST_LIMITS } from '../../support/upstream/upstream-pool.ts'

// First answers are held until heights are known, for a quarter of a second at most. Here for as long as it takes:
// whose words are told must not depend on how quick the machine is.
vi.mock('../../../src/lib/waiting/in-time.ts', () => ({ inTime: <T>(work: Promise<T>) => work }))
vi.mock('../../../src/upstream/health/head-hold.ts', async (importOriginal) => {
  const { createHeadHold } = await importOriginal<typeof import('../../../src/upstream/health/head-hold.ts')>()
  const endless = { at: () => ({}), cancel: () => undefined } as never
  return { createHeadHold: () => createHeadHold(endless) }
})

/* Two nodes of one chain that do not know of each other's blocks, behind servers of all kinds. */
const REFERENCE = '000000000933ea01ad0ee984209779ba'
const KINDS = ['esplora', 'blockbook', 'electrum'] as const
const PAIRS = KINDS.flatMap((kind) => KINDS.map((other) => [kind, other] as const))
const NAMES: readonly AccountName[] = ['alice', 'bob', 'carol', 'dave', 'nobody']

let first: BitcoinChain
let second: BitcoinChain
beforeAll(async () => {
  ;[first, second] = await Promise.all([startBitcoinChain(), startBitcoinChain()])
})
afterAll(async () => {
  await first.close()
  await second.close()
})

type Told = [name: AccountName, balances: { confirmed: bigint; unconfirmed: bigint }][]

const own = (chain: BitcoinChain): Promise<Told> =>
  Promise.all(
    NAMES.map(async (name) => {
      const { confirmed, total } = await chain.ownAnswer(name)
      return [name, { confirmed, unconfirmed: total - confirmed }] as Told[number]
    }),
  )

const doors = ({ esploraUrl, blockbookUrl, electrumUrl }: BitcoinChain) => ({
  esplora: esploraUrl,
  blockbook: blockbookUrl,
  electrum: electrumUrl,
})

/** Reads several times over a server of each node, the first one preferred: whose words each reading was. */
async function tellers(kind: (typeof KINDS)[number], other: (typeof KINDS)[number]): Promise<string[]> {
  const upstreams = [
    { url: doors(first)[kind], kind, priority: 0 },
    { url: doors(second)[other], kind: other, priority: 1 },
  ]
  const chains = createChains(
    { evm: {}, bitcoin: { [REFERENCE]: { network: 'regtest', upstreams } }, solana: {}, avalanche: {} },
    { limits: TEST_LIMITS, tokens: { tokens: () => [] }, xpubGap: 20, pool: {}, logger: pino({ enabled: false }) },
  )
  try {
    const words = [await own(first), await own(second)]
    const source = chains.byId.get(`bip122:${REFERENCE}`)?.source
    const readings: string[] = []
    for (let count = 0; count < 4; count++) {
      const ids = NAMES.map((name) => ({ id: first.accounts[name].addresses.testnet }))
      const found = await source?.readBalances(ids, readContext({ deadline: Date.now() + 60_000 }))
      const told = NAMES.map((name, at) => [name, balancesOf(found?.get(ids[at]?.id ?? ''))])
      const whose = words.findIndex((word) => same(word, told))
      readings.push(['first', 'second'][whose] ?? 'mixed')
    }
    return readings
  } finally {
    await chains.close()
  }
}

const text = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value)
const same = (one: unknown, other: unknown): boolean => JSON.stringify(one, text) === JSON.stringify(other, text)

const all = async (): Promise<Record<string, string[]>> => {
  const told = await Promise.all(PAIRS.map(async (pair) => [pair.join(' and '), await tellers(...pair)]))
  return Object.fromEntries(told)
}
const everybody = (who: string) => Object.fromEntries(PAIRS.map((pair) => [pair.join(' and '), Array(4).fill(who)]))

it('one block ahead is no reason to ask another, two are, and no reading is made of both', async () => {
  for (const chain of [first, second]) {
    await chain.mine(5)
    await chain.pay('alice', 'nobody', 5_000n)
    await chain.pay('carol', 'dave', 2_000n)
  }
  await second.mine(1)
  expect(await all()).toEqual(everybody('first'))
  await second.mine(1)
  expect(await all()).toEqual(everybody('second'))
})

it('on branches of equal height the first one goes on telling its own, then the longer one is told', async () => {
  await first.mine(2)
  await first.reorganize(2, 2)
  await first.pay('alice', 'bob', 7_000n)
  expect(await all()).toEqual(everybody('first'))
  await second.mine(3)
  expect(await all()).toEqual(everybody('second'))
  await first.mine(6)
  expect(await all()).toEqual(everybody('first'))
})
