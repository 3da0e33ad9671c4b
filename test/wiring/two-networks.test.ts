import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SIDES, type Side } from '../../src/facts/primary-network.ts'
import { createStage } from '../support/server/stage.ts'
import { type PostgresServer, startPostgres } from '../support/store/postgres-server.ts'
import {
  type Child,
  childAt,
  EXTENDED_KEY,
  hexOf,
  type SideFront,
  settingsOf,
  startTwoNetworks,
} from './two-networks.ts'
import {
  ADDRESSES,
  type Answers,
  balanceItems,
  chainAnswers,
  indexedAnswers,
  nodeAnswers,
  proposerAnswers,
  rewardsOf,
  untilBothIndexed,
  walletsOf,
} from './two-networks-answers.ts'

/*
 * Both networks of one server, with the same keys, IDs and blocks, each at heights of its own: every answer about a side is
 * that of a server that knows no other side.
 */
const OTHER = { mainnet: 'testnet', testnet: 'mainnet' } as const
/** Where a wallet's addresses lie on its key differs: what is remembered of one side must not end the scan of the other. */
const USED = { mainnet: [2, 15], testnet: [40, 80] } as const

const stage = createStage()
let postgres: PostgresServer
let fronts: Record<Side, SideFront> & { stop(): Promise<void> }
const alone = {} as Record<Side, string>
/** Servers of both sides, by the side under /ext. */
const both = {} as Record<Side, string>
let embedded: string
const truth = {} as Record<Side, Answers>
/** Those of the second half are read for the first time when a node is away: what is remembered would be an answer. */
const [ASKED, LATER] = [ADDRESSES.slice(0, 40), ADDRESSES.slice(40, 80)]

/** @param database of the server; left out: an embedded one */
const serve = async (
  sides: readonly Side[],
  database?: string,
  ext = sides[0] as Side,
  mode: 'all' | 'api' = 'all',
) => {
  const store =
    database === undefined ? { dataDir: stage.folder() } : { store: { databaseUrl: postgres.url(database) } }
  return (await stage.serve({ ...settingsOf(fronts, sides, ext), ...store, mode })).url
}

beforeAll(async () => {
  ;[postgres, fronts] = await Promise.all([startPostgres(), startTwoNetworks()])
  await Promise.all(['mainnet', 'testnet', 'shared'].map((database) => postgres.create(database)))
  for (const side of SIDES) alone[side] = await serve([side], side)
  both.mainnet = await serve(SIDES, 'shared')
  embedded = await serve(SIDES)
  await Promise.all([
    ...SIDES.map((side) => untilBothIndexed(alone[side], [side])),
    untilBothIndexed(both.mainnet, SIDES),
  ])
  both.testnet = await serve(SIDES, 'shared', 'testnet', 'api')
  await untilBothIndexed(embedded, SIDES)
  for (const side of SIDES) truth[side] = await indexedAnswers(alone[side], side)
})
afterAll(async () => {
  await stage.clear()
  await Promise.all([fronts?.stop(), postgres?.stop()])
})

const balancesOf = async (wallets = walletsOf(ASKED)) => ({
  mainnet: (await balanceItems(alone.mainnet, ['mainnet'], wallets)).mainnet,
  testnet: (await balanceItems(alone.testnet, ['testnet'], wallets)).testnet,
})

describe('two networks on one server', () => {
  it('are not the same here, and are answered', () => {
    for (const side of SIDES) expect(new Set(truth[side].map(([, status]) => status))).toEqual(new Set([200, 404]))
    const [one, other] = SIDES.map((side) => truth[side].map(([, , , body]) => JSON.stringify(body)))
    const differing = one?.filter((body, at) => body !== other?.[at]) ?? []
    expect(differing.length).toBeGreaterThan(40)
  })

  it.each(['server', 'embedded'] as const)('have the index of their own: %s', async (kind) => {
    const url = kind === 'server' ? both.mainnet : embedded
    for (const side of SIDES) {
      expect(await indexedAnswers(url, side)).toEqual(truth[side])
      const proposers = await proposerAnswers(alone[side], side, truth[side])
      expect(proposers.length).toBeGreaterThan(10)
      expect(await proposerAnswers(url, side, truth[side])).toEqual(proposers)
      const chains = await chainAnswers(alone[side], side)
      expect(JSON.stringify(chains)).toContain('chainId')
      expect(await chainAnswers(url, side)).toEqual(chains)
    }
  })

  it('have balances of their own, asked for at once', async () => {
    const expected = await balancesOf()
    for (const url of [both.mainnet, embedded])
      expect(await balanceItems(url, SIDES, walletsOf(ASKED))).toEqual(expected)
    for (const side of SIDES) {
      expect(expected[side]).toHaveLength(3 * ASKED.length)
      expect(expected[side].filter(({ error }) => error !== null)).toEqual([])
    }
    expect(expected.mainnet.map(({ balances }) => balances)).not.toEqual(
      expected.testnet.map(({ balances }) => balances),
    )
  })

  it('are served under /ext as configured', async () => {
    for (const side of SIDES) {
      const expected = await nodeAnswers(alone[side])
      expect(expected.filter(([, status]) => status !== 200)).toEqual([])
      expect(await nodeAnswers(both[side])).toEqual(expected)
      expect(await nodeAnswers(both[OTHER[side]])).not.toEqual(expected)
    }
  })

  it.each(SIDES)(
    'do not feel that the node of the other one is away: %s',
    async (gone) => {
      const other = OTHER[gone]
      const wallets = walletsOf(LATER.slice(gone === 'mainnet' ? 0 : 20).slice(0, 20))
      const expected = await balancesOf(wallets)
      const calls = await nodeAnswers(alone[other])
      fronts[gone].away = true
      for (const side of SIDES)
        expect(await indexedAnswers(gone === 'mainnet' ? embedded : both.testnet, side)).toEqual(truth[side])
      for (const url of [both.mainnet, embedded]) {
        const items = await balanceItems(url, SIDES, wallets)
        expect(items[other]).toEqual(expected[other])
        expect(items[gone]).toHaveLength(expected[gone].length)
        expect(items[gone].filter(({ balances, error }) => balances !== null || !error)).toEqual([])
      }
      expect(await nodeAnswers(both[other])).toEqual(calls)
      fronts[gone].away = false
      for (const url of [both.mainnet, embedded])
        await expect.poll(() => balanceItems(url, SIDES, wallets), { interval: 500 }).toEqual(expected)
    },
    120_000,
  )

  it('find what an extended key owns on each, at once and in turn', async () => {
    const owners = {} as Record<Side, string[]>
    const expected = {} as Record<Side, { rewards: object; balances: object[] }>
    for (const side of SIDES) {
      owners[side] = await rewarded(side)
      const { mainnet, testnet } = await balanceItems(alone[side], [side], {
        addressDetails: [{ id: 'key', addresses: owners[side] }],
      })
      expected[side] = {
        rewards: await rewardsOf(alone[side], side, { addresses: owners[side].map((address) => `P-${address}`) }),
        // C takes no keys.
        balances: [...mainnet, ...testnet].filter(({ networkType }) => networkType !== 'coreth'),
      }
    }
    await giveToKey(owners)
    const extendedPublicKeyDetails = [{ id: 'key', extendedPublicKey: EXTENDED_KEY }]
    const items = { mainnet: expected.mainnet.balances, testnet: expected.testnet.balances }
    expect(items.mainnet).not.toEqual(items.testnet)
    expect(expected.mainnet.rewards).not.toEqual(expected.testnet.rewards)
    // One server hears of both at once, one of the shallow side first, one of the deep one: all know nothing of it yet.
    const fresh = await Promise.all(SIDES.map((side) => serve(SIDES, 'shared', side, 'api')))
    expect(await balanceItems(both.testnet, SIDES, { extendedPublicKeyDetails })).toEqual(items)
    for (const [at, url] of fresh.entries())
      for (const side of at === 0 ? SIDES : [...SIDES].reverse())
        expect((await balanceItems(url, [side], { extendedPublicKeyDetails }))[side]).toEqual(items[side])
    for (const url of fresh) {
      const found = await Promise.all(SIDES.map((side) => rewardsOf(url, side, { extendedPublicKey: EXTENDED_KEY })))
      expect(found).toEqual(SIDES.map((side) => expected[side].rewards))
    }
  })
})

/** Two that earned or will earn something there; others on each side. */
async function rewarded(side: Side): Promise<string[]> {
  const found: string[] = []
  for (const address of side === 'mainnet' ? ADDRESSES : [...ADDRESSES].reverse()) {
    const { estimatedRewardAmount } = await rewardsOf(alone[side], side, { addresses: [`P-${address}`] })
    if (Number(estimatedRewardAmount) > 0) found.push(address)
    if (found.length === USED[side].length) return found
  }
  throw new Error('few stake')
}

/** From now on children of the key own what these did: at the nodes, and in what the shared database has of each side. */
async function giveToKey(owners: Record<Side, string[]>): Promise<void> {
  const client = new pg.Client({ connectionString: postgres.url('shared') })
  await client.connect()
  for (const side of SIDES) {
    for (const [at, owner] of owners[side].entries()) {
      const child: Child = childAt(USED[side][at] as number)
      fronts[side].children.set(child, owner)
      const addresses = [`\\x${child.hex}`, `\\x${hexOf(owner)}`, side]
      await client.query(
        `update utxo_owner set address = $1 where address = $2
          and chain / 4 = (select id from network where name = $3)`,
        addresses,
      )
      await client.query(
        'update staker_owner set address = $1 where address = $2 and network = (select id from network where name = $3)',
        addresses,
      )
    }
  }
  await client.end()
}
