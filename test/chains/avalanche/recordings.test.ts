import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  AVALANCHE_CAIP2,
  createAvalancheNetwork,
  createAvmBalanceSource,
  createCorethBalanceSource,
  createKeyScanner,
  createPvmBalanceSource,
  P_BLOCKCHAIN_ID,
} from '../../../src/chains/avalanche/index.ts'
import type { AssetAmount, Outcome, PvmBalances, WalletAccount } from '../../../src/chains/capabilities.ts'
import { createUpstreamPool, DEFAULT_LIMITS, type UpstreamPool } from '../../../src/upstream/index.ts'
import { type LedgerNode, startLedgerNode } from './ledger-node.ts'
import {
  addressStates,
  finalState,
  network,
  recordedLedger,
  type TruthUtxo,
  truthStakers,
  truthUtxos,
} from './recorded-ledger.ts'

const NOW = finalState.time
const AVAX = network.avaxAssetID
const DUST = 2_000_000n

let node: LedgerNode
let pool: UpstreamPool
beforeAll(async () => {
  node = await startLedgerNode(recordedLedger())
  pool = createUpstreamPool('recorded', [{ url: node.url }], { ...DEFAULT_LIMITS, requestsPerSecond: 10_000 })
})
afterAll(async () => {
  await pool.close()
  await node.close()
})

function sources() {
  const avalanche = createAvalancheNetwork({ pool })
  const keys = createKeyScanner({ network: avalanche })
  const now = () => NOW
  return {
    pvm: createPvmBalanceSource({ network: avalanche, caip2Id: AVALANCHE_CAIP2.testnet.P, keys, now }),
    avm: createAvmBalanceSource({ network: avalanche, caip2Id: AVALANCHE_CAIP2.testnet.X, keys, now }),
    coreth: createCorethBalanceSource({ network: avalanche, caip2Id: AVALANCHE_CAIP2.testnet.C, now }),
  }
}

const context = () => ({ signal: new AbortController().signal, deadline: Date.now() + 20_000 })

function wallets(filterOutDust: boolean): WalletAccount[] {
  return addressStates.map(({ address }) => ({
    id: address,
    addresses: [address],
    extendedPublicKeys: [],
    filterOutDust,
  }))
}

function answerFor<B>(outcomes: Map<string, Outcome<B>>, id: string): B {
  const outcome = outcomes.get(id)
  if (!outcome?.ok) throw outcome?.error ?? new Error(`${id} was not answered`)
  return outcome.value
}

/** Live UTXOs of an address, from the program that replayed all containers; nothing of our decoder is in here. */
function live(address: string, on: string, from: string): TruthUtxo[] {
  return truthUtxos.filter((utxo) => {
    const here = utxo.consumableOnChain === on && utxo.createdOnChain === from && utxo.addresses.includes(address)
    // Stakes still running have no height from which they can be spent; threshold 0 is found by nobody.
    return here && utxo.consumedBy === null && utxo.spendableAtHeight !== null && utxo.threshold > 0
  })
}

describe('recorded addresses', () => {
  test.each([true, false])('every class of P, dust left out: %s', async (filterOutDust) => {
    const outcomes = await sources().pvm.readBalances(wallets(filterOutDust), context())
    for (const { address, P } of addressStates) {
      const value = answerFor(outcomes, address)
      expect({ address, ...value }).toEqual({ address, ...expectedPvm(address, filterOutDust) })
      if (filterOutDust) continue
      expect(value.unlockedUnstaked + value.unlockedUnstakedMultiSig).toBe(BigInt(P.balance['unlocked'] ?? ''))
      expect(value.lockedStakeable).toBe(BigInt(P.balance['lockedStakeable'] ?? ''))
      expect(value.lockedPlatform).toBe(BigInt(P.balance['lockedNotStakeable'] ?? ''))
      expect(value.unlockedStaked + value.lockedStaked).toBe(BigInt(P.stake.staked))
    }
  })

  test('every asset of X', async () => {
    const outcomes = await sources().avm.readBalances(wallets(true), context())
    for (const { address, X } of addressStates) {
      const value = answerFor(outcomes, address)
      const own = live(address, 'X', 'X')
      const isLocked = (utxo: TruthUtxo) => utxo.locktime > NOW || utxo.threshold > 1
      expect({ address, ...value }).toEqual({
        address,
        native: sum(own.filter(({ assetId }) => assetId === AVAX)),
        unlocked: items(own.filter((utxo) => !isLocked(utxo))),
        locked: items(own.filter(isLocked)),
        ...expectedAtomicAssets(address, 'X', ['P', 'C']),
      })
      // The node's own sums leave out what has several owners or a locktime: never more than ours.
      for (const { asset, balance } of X.balances.balances) {
        const id = asset === 'AVAX' ? AVAX : asset
        const item = value.unlocked.find(({ assetId }) => assetId === id)
        const clamped = (item?.balance ?? 0n) > 18446744073709551615n ? 18446744073709551615n : item?.balance
        expect(clamped).toBeGreaterThanOrEqual(BigInt(balance))
      }
    }
  })

  test('everything that waits for C', async () => {
    const outcomes = await sources().coreth.readBalances(wallets(true), context())
    for (const { address } of addressStates) {
      const waiting = [...live(address, 'C', 'X'), ...live(address, 'C', 'P')]
      expect({ address, ...answerFor(outcomes, address) }).toEqual({
        address,
        native: sum(waiting.filter(({ assetId }) => assetId === AVAX)),
        ...expectedAtomicAssets(address, 'C', ['X', 'P']),
      })
    }
  })
})

function sum(utxos: readonly TruthUtxo[]): bigint {
  return utxos.reduce((total, { amount }) => total + BigInt(amount ?? 0), 0n)
}

function expectedPvm(address: string, filterOutDust: boolean): PvmBalances {
  const own = live(address, 'P', 'P').filter(({ assetId, amount }) => {
    return assetId === AVAX && !(filterOutDust && BigInt(amount ?? 0) < DUST)
  })
  const platform = own.filter(({ locktime }) => locktime > NOW)
  const stakeable = own.filter((utxo) => !platform.includes(utxo) && (utxo.stakeableLocktime ?? 0) > NOW)
  const open = own.filter((utxo) => !platform.includes(utxo) && !stakeable.includes(utxo))
  const staked = truthStakers
    .filter(({ current }) => current)
    .flatMap(({ end, stakeOutputs }) => stakeOutputs.map((output) => ({ end, ...output })))
    .filter(({ addresses }) => addresses.includes(address))
  const lockedStake = staked.filter(({ end, stakeableLocktime }) => (stakeableLocktime ?? 0) > end)
  const total = (outputs: readonly { amount: string }[]) =>
    outputs.reduce((all, { amount }) => all + BigInt(amount), 0n)
  const atomic = (locked: boolean) => {
    const map: Record<string, bigint> = {}
    for (const from of ['X', 'C'] as const) {
      const utxos = live(address, 'P', from).filter(({ assetId }) => assetId === AVAX)
      const amount = sum(utxos.filter(({ locktime, threshold }) => (locktime > NOW || threshold > 1) === locked))
      if (amount > 0n) map[network.chains[from]] = amount
    }
    return map
  }
  return {
    native: sum(own) + total(staked),
    unlockedStaked: total(staked) - total(lockedStake),
    lockedStaked: total(lockedStake),
    unlockedUnstaked: sum(open.filter(({ threshold }) => threshold === 1)),
    unlockedUnstakedMultiSig: sum(open.filter(({ threshold }) => threshold > 1)),
    lockedPlatform: sum(platform),
    lockedStakeable: sum(stakeable),
    restakedRewards: 0n,
    atomicMemoryUnlocked: atomic(false),
    atomicMemoryLocked: atomic(true),
  }
}

function items(utxos: readonly TruthUtxo[]): AssetAmount[] {
  const ids = [...new Set(utxos.filter(({ amount }) => amount !== null).map(({ assetId }) => assetId))]
  return ids
    .map((assetId): AssetAmount => {
      const asset = network.assets.find((entry) => entry.assetID === assetId)
      if (!asset) throw new Error(`asset ${assetId} is not in the recordings`)
      return {
        assetId,
        name: asset.name,
        symbol: asset.symbol,
        decimals: Number(asset.denomination),
        balance: sum(utxos.filter((utxo) => utxo.assetId === assetId)),
        type: assetId === AVAX ? 'native' : 'unknown',
      }
    })
    .sort((a, b) => (a.assetId === AVAX ? -1 : b.assetId === AVAX ? 1 : a.assetId < b.assetId ? -1 : 1))
}

function expectedAtomicAssets(address: string, on: string, from: readonly ('P' | 'X' | 'C')[]) {
  const maps = { atomicMemoryUnlocked: {}, atomicMemoryLocked: {} } as Record<string, Record<string, AssetAmount[]>>
  for (const source of from) {
    const utxos = live(address, on, source)
    const isLocked = ({ locktime, threshold }: TruthUtxo) => locktime > NOW || threshold > 1
    const chain = source === 'P' ? P_BLOCKCHAIN_ID : network.chains[source]
    const locked = items(utxos.filter(isLocked))
    const unlocked = items(utxos.filter((utxo) => !isLocked(utxo)))
    if (locked.length > 0) Object.assign(maps['atomicMemoryLocked'] ?? {}, { [chain]: locked })
    if (unlocked.length > 0) Object.assign(maps['atomicMemoryUnlocked'] ?? {}, { [chain]: unlocked })
  }
  return maps
}
