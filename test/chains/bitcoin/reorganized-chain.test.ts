import { afterAll, beforeAll, expect, it } from 'vitest'
import type { BitcoinBackend } from '../../../src/chains/bitcoin/backend.ts'
import { createBlockbookBackend } from '../../../src/chains/bitcoin/blockbook.ts'
import { createElectrumBackend } from '../../../src/chains/bitcoin/electrum/backend.ts'
import { createElectrumClient } from '../../../src/chains/bitcoin/electrum/client.ts'
import { createEsploraBackend } from '../../../src/chains/bitcoin/esplora.ts'
import { createBitcoinBalanceSource } from '../../../src/chains/bitcoin/index.ts'
import { createUpstreamPool, DEFAULT_LIMITS } from '../../../src/upstream/index.ts'
import type { AccountName } from '../../sandbox/bitcoin/accounts.ts'
import { type BitcoinChain, startBitcoinChain } from '../../sandbox/bitcoin-chain.ts'
import { balancesOf, bitcoinNative, readContext } from '../../support/balances/balance-reads.ts'

const network = 'regtest'
/** Of one block from 450 to 599, satoshi. */
const REWARD = 625_000_000n
const FEE = 1_000n

let chain: BitcoinChain
const sources = new Map<string, ReturnType<typeof createBitcoinBalanceSource>>()
const closers: (() => unknown)[] = []

beforeAll(async () => {
  chain = await startBitcoinChain()
  // Past the next halving; and nothing waits any more.
  await chain.mine(15)
  const pool = (url: string) => {
    const opened = createUpstreamPool('bitcoin', [{ url }], DEFAULT_LIMITS)
    closers.push(() => opened.close())
    return { pool: opened }
  }
  const client = createElectrumClient({
    network,
    servers: [{ url: chain.electrumUrl }],
    budget: DEFAULT_LIMITS,
  })
  closers.push(() => client.close())
  const add = (kind: string, backend: BitcoinBackend) =>
    sources.set(
      kind,
      createBitcoinBalanceSource({
        caip2Id: 'bip122:000000000933ea01ad0ee984209779ba',
        native: bitcoinNative,
        network,
        backends: [backend],
      }),
    )
  add('esplora', createEsploraBackend(pool(chain.esploraUrl)))
  add('blockbook', createBlockbookBackend(pool(chain.blockbookUrl)))
  add('electrum', createElectrumBackend({ client }))
})
afterAll(async () => {
  await Promise.all(closers.map((close) => close()))
  await chain.close()
})

type Told = Record<AccountName, { confirmed: bigint; unconfirmed: bigint }>

/** What all kinds of servers tell, each held against the node itself. */
const read = async (): Promise<Told> => {
  const accounts = Object.values(chain.accounts)
  const ids = accounts.map(({ addresses }) => ({ id: addresses.testnet }))
  const own: Partial<Told> = {}
  for (const { name } of accounts) {
    const { confirmed, total } = await chain.ownAnswer(name)
    own[name] = { confirmed, unconfirmed: total - confirmed }
  }
  for (const [kind, source] of sources) {
    const found = await source.readBalances(ids, readContext())
    const told = accounts.map(({ name, addresses }) => [name, balancesOf(found.get(addresses.testnet))])
    expect({ kind, ...Object.fromEntries(told) }).toEqual({ kind, ...own })
  }
  return own as Told
}

/** Blocks, and a payment that waits behind them: a node whose mempool is empty does not take back what lost its block. */
const mineAndPay = async (blocks: number): Promise<void> => {
  await chain.mine(blocks)
  await chain.pay('carol', 'dave', 2_000n)
}

it.each([1, 2, 3, 4, 5, 6])('payments of %d lost blocks wait again, and their rewards are gone', async (depth) => {
  const before = await read()
  await chain.pay('alice', 'nobody', 5_000n)
  await mineAndPay(depth)
  const gone = await read()
  expect(gone.nobody).toEqual({ confirmed: before.nobody.confirmed + 5_000n, unconfirmed: 0n })
  expect(gone.dave).toEqual({ confirmed: before.dave.confirmed, unconfirmed: 2_000n })
  expect(gone.miner.confirmed).toBe(before.miner.confirmed + BigInt(depth) * REWARD + FEE)
  await chain.reorganize(depth, depth + 1)
  const after = await read()
  expect(after.nobody).toEqual({ confirmed: before.nobody.confirmed, unconfirmed: 5_000n })
  expect(after.alice).toEqual({ confirmed: before.alice.confirmed, unconfirmed: -5_000n - FEE })
  expect(after.dave).toEqual(gone.dave)
  expect(after.miner.confirmed).toBe(before.miner.confirmed + BigInt(depth + 1) * REWARD)
  await chain.mine(1)
  expect((await read()).nobody).toEqual(gone.nobody)
})

it.each([
  ['as many', 3],
  ['fewer', 1],
])('the blocks of another branch are those that count, where it has %s', async (_, blocks) => {
  const before = await read()
  await chain.pay('alice', 'nobody', 7_000n)
  await mineAndPay(3)
  expect((await read()).nobody).toEqual({ confirmed: before.nobody.confirmed + 7_000n, unconfirmed: 0n })
  await chain.reorganize(3, blocks)
  const after = await read()
  expect(after.nobody).toEqual({ confirmed: before.nobody.confirmed, unconfirmed: 7_000n })
  expect(after.miner.confirmed).toBe(before.miner.confirmed + BigInt(blocks) * REWARD)
  await chain.mine(1)
  expect((await read()).nobody).toEqual({ confirmed: before.nobody.confirmed + 7_000n, unconfirmed: 0n })
})

it('a payment whose coins went to somebody else on the other branch is there no more', async () => {
  const before = await read()
  const lost = await chain.pay('alice', 'nobody', 50_000n)
  await mineAndPay(2)
  const rival = await chain.pay('alice', 'bob', 60_000n, lost)
  expect((await read()).nobody.confirmed).toBe(before.nobody.confirmed + 50_000n)
  await chain.reorganize(2, 3, [rival])
  const after = await read()
  expect(after.nobody).toEqual(before.nobody)
  expect(after.bob).toEqual({ confirmed: before.bob.confirmed + 60_000n, unconfirmed: 0n })
  expect(after.alice).toEqual({ confirmed: before.alice.confirmed - 60_000n - FEE, unconfirmed: 0n })
})
