import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  AVALANCHE_CAIP2,
  createAvalancheNetwork,
  createAvmBalanceSource,
  createCorethBalanceSource,
  createKeyScanner,
  createPvmBalanceSource,
} from '../../../../src/chains/avalanche/index.ts'
import type { WalletAccount } from '../../../../src/chains/capabilities.ts'
import { createUpstreamPool, DEFAULT_LIMITS, type UpstreamPool } from '../../../../src/upstream/index.ts'
import { blockTimes, END_TIME } from '../../../chains/avalanche/recorded-truth.ts'
import { readContext } from '../../../support/balances/balance-reads.ts'
import { createRandom, type Random } from '../../../support/generated/random.ts'
import { type ReplayNode, startReplayNode } from '../../../support/replay-node/index.ts'
import { encodeAddress } from '../../../support/replay-node/wire/address-text.ts'
import { expectedBalances, type Side } from './expected.ts'
import { KEYS } from './holders.ts'
import { heightsAt, RECORDED_OWNERS, recordedWorld } from './recorded-world.ts'

let node: ReplayNode
let pool: UpstreamPool
beforeAll(async () => {
  node = await startReplayNode()
  pool = createUpstreamPool('recorded', [{ url: node.url }], { ...DEFAULT_LIMITS, requestsPerSecond: 10_000 })
})
afterAll(async () => {
  await pool.close()
  await node.stop()
})

interface Asked {
  account: WalletAccount
  owned: Set<string>
}

/** Wallets of many recorded addresses, of a key that owns nothing here, of both; they overlap. */
function wallets(random: Random, withKeys: boolean): Asked[] {
  return random.list(random.between(1, 12), (at): Asked => {
    const owned = random.some(RECORDED_OWNERS, random.pick([0, 1, 2, 5, 60]))
    const addresses = owned.map((hex) => encodeAddress(random.pick(['fuji', 'avax']), Buffer.from(hex, 'hex')))
    const keys = withKeys && (owned.length === 0 || random.chance(0.2)) ? [random.pick(KEYS).texts[0]] : []
    const filterOutDust = random.chance(0.5)
    return { account: { id: `w${at}`, addresses, extendedPublicKeys: keys, filterOutDust }, owned: new Set(owned) }
  })
}

const SEEDS = Number(process.env['FIRN_TEST_SEEDS'] ?? 10)

it('wallets of recorded addresses own at any height what a replay of all containers says', async () => {
  let numbers = 0
  for (let seed = 1; seed <= SEEDS; seed++) {
    const random = createRandom(seed)
    const now = random.chance(0.3) ? END_TIME : random.pick([...blockTimes.values()])
    const heights = now === END_TIME ? node.last : heightsAt(now)
    node.moveTo(heights)
    const world = recordedWorld(heights, now)
    const network = createAvalancheNetwork({ pool })
    const deps = { network, keys: createKeyScanner({ network }), now: () => now }
    const { P, X, C } = AVALANCHE_CAIP2.testnet
    const asked = wallets(random, true)
    const ask = async (chain: Side, read: () => Promise<Map<string, unknown>>, these = asked) => {
      const outcomes = await read()
      for (const { account, owned } of these) {
        const expected = expectedBalances(world, chain, owned, account.filterOutDust)
        expect([seed, chain, account.id, told(outcomes.get(account.id))]).toEqual([seed, chain, account.id, expected])
        numbers += 1
      }
    }
    // Amounts are meant here, not deadlines: a machine that does many things at a time may be slow.
    const context = readContext({ deadline: Date.now() + 60_000 })
    const accounts = asked.map(({ account }) => account)
    const onC = asked.filter(({ account }) => account.extendedPublicKeys.length === 0)
    const cAccounts = onC.map(({ account }) => account)
    await Promise.all([
      ask('P', () => createPvmBalanceSource({ ...deps, caip2Id: P }).readBalances(accounts, context)),
      ask('X', () => createAvmBalanceSource({ ...deps, caip2Id: X }).readBalances(accounts, context)),
      ask('C', () => createCorethBalanceSource({ ...deps, caip2Id: C }).readBalances(cAccounts, context), onC),
    ])
  }
  expect(numbers).toBeGreaterThan(100)
}, 600_000)

/** As the expectation is written: amounts as decimal texts. */
function told(outcome: unknown): unknown {
  const { ok, value } = outcome as { ok: boolean; value: { native: bigint } }
  if (!ok) return outcome
  const { native, ...categories } = JSON.parse(
    JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? String(one) : one)),
  ) as Record<string, unknown>
  return { native, categories }
}
