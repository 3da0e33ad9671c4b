import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  AVALANCHE_CAIP2,
  createAvalancheNetwork,
  createAvmBalanceSource,
  createCorethBalanceSource,
  createKeyScanner,
  createPvmBalanceSource,
} from '../../../src/chains/avalanche/index.ts'
import type { Outcome, WalletAccount } from '../../../src/chains/capabilities.ts'
import { createUpstreamPool, DEFAULT_LIMITS, type UpstreamPool } from '../../../src/upstream/index.ts'
import { type ReplayNode, startReplayNode } from '../../support/replay-node/index.ts'
import { expectedAvm, expectedCoreth, expectedPvm, type Moment } from './expected-balances.ts'
import { addressStates, blockTimes, END_TIME, network } from './recorded-truth.ts'

let node: ReplayNode
let pool: UpstreamPool
let end: Moment
beforeAll(async () => {
  node = await startReplayNode()
  end = { heights: node.heights(), now: END_TIME }
  pool = createUpstreamPool('recorded', [{ url: node.url }], { ...DEFAULT_LIMITS, requestsPerSecond: 10_000 })
})
afterAll(async () => {
  await pool.close()
  await node.stop()
})

function sources(now: number) {
  const avalanche = createAvalancheNetwork({ pool })
  const deps = { network: avalanche, keys: createKeyScanner({ network: avalanche }), now: () => now }
  return {
    pvm: createPvmBalanceSource({ ...deps, caip2Id: AVALANCHE_CAIP2.testnet.P }),
    avm: createAvmBalanceSource({ ...deps, caip2Id: AVALANCHE_CAIP2.testnet.X }),
    coreth: createCorethBalanceSource({ ...deps, caip2Id: AVALANCHE_CAIP2.testnet.C }),
  }
}

const context = () => ({ signal: new AbortController().signal, deadline: Date.now() + 20_000 })

/** Every recorded address as a wallet of its own. */
const wallets = (filterOutDust: boolean): WalletAccount[] =>
  addressStates.map(({ address }) => ({ id: address, addresses: [address], extendedPublicKeys: [], filterOutDust }))

function answerFor<B>(outcomes: Map<string, Outcome<B>>, id: string): B {
  const outcome = outcomes.get(id)
  if (!outcome?.ok) throw outcome?.error ?? new Error(`${id} was not answered`)
  return outcome.value
}

describe('every recorded address', () => {
  test.each([true, false])('on P, in every class, dust left out: %s', async (filterOutDust) => {
    const outcomes = await sources(END_TIME).pvm.readBalances(wallets(filterOutDust), context())
    for (const { address, P } of addressStates) {
      const value = answerFor(outcomes, address)
      expect({ address, ...value }).toEqual({ address, ...expectedPvm(address, filterOutDust, end) })
      if (filterOutDust) continue
      // The real node's own sums: it does not tell multisig apart.
      expect(value.unlockedUnstaked + value.unlockedUnstakedMultiSig).toBe(BigInt(P.balance['unlocked'] ?? ''))
      expect(value.lockedStakeable).toBe(BigInt(P.balance['lockedStakeable'] ?? ''))
      expect(value.lockedPlatform).toBe(BigInt(P.balance['lockedNotStakeable'] ?? ''))
      expect(value.unlockedStaked + value.lockedStaked).toBe(BigInt(P.stake.staked))
    }
  })

  test('on X, every asset', async () => {
    const outcomes = await sources(END_TIME).avm.readBalances(wallets(true), context())
    for (const { address, X } of addressStates) {
      const value = answerFor(outcomes, address)
      expect({ address, ...value }).toEqual({ address, ...expectedAvm(address, end) })
      // The real node leaves out what has several owners and stops counting at 2^64 − 1: never more than ours.
      for (const { asset, balance } of X.balances.balances) {
        const id = asset === 'AVAX' ? network.avaxAssetID : asset
        const ours = value.unlocked.find(({ assetId }) => assetId === id)?.balance ?? 0n
        expect(ours).toBeGreaterThanOrEqual(BigInt(balance))
      }
    }
  })

  test('waiting for C', async () => {
    const outcomes = await sources(END_TIME).coreth.readBalances(wallets(true), context())
    for (const { address } of addressStates) {
      expect({ address, ...answerFor(outcomes, address) }).toEqual({ address, ...expectedCoreth(address, end) })
    }
  })

  test('all together are read in a handful of calls', async () => {
    const { pvm } = sources(END_TIME)
    await pvm.readBalances(wallets(true).slice(0, 1), context())
    const before = node.counters.requests
    await pvm.readBalances(wallets(true), context())
    // 1,600 UTXOs are two pages, read twice as that was not known before; the validators, delegators and transactions
    // of four bound stakes.
    expect(node.counters.requests - before).toBeLessThan(40)
  })

  test.each([30, 60, 110, 160, 210, 260, 310, 360])('on P as it was at height %i', async (height) => {
    const moment = { heights: { ...end.heights, P: height }, now: blockTimes.get(height) ?? 0 }
    const past = await startReplayNode({ upTo: { P: height } })
    const own = createUpstreamPool('past', [{ url: past.url }], { ...DEFAULT_LIMITS, requestsPerSecond: 10_000 })
    try {
      const avalanche = createAvalancheNetwork({ pool: own })
      const pvm = createPvmBalanceSource({
        network: avalanche,
        caip2Id: AVALANCHE_CAIP2.testnet.P,
        keys: createKeyScanner({ network: avalanche }),
        now: () => moment.now,
      })
      const outcomes = await pvm.readBalances(wallets(false), context())
      for (const { address } of addressStates) {
        expect({ address, ...answerFor(outcomes, address) }).toEqual({
          address,
          ...expectedPvm(address, false, moment),
        })
      }
    } finally {
      await own.close()
      await past.stop()
    }
  })
})
