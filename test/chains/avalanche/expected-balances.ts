import type { AssetAmount, AvmBalances, CorethBalances, PvmBalances } from '../../../src/chains/capabilities.ts'
import { PRIMARY_NETWORK_ID } from '../../../src/facts/primary-network.ts'
import type { TrueUtxo } from '../../support/recorded/true-utxos.ts'
import { type Chain, network, truthStakers, truthUtxos } from './recorded-truth.ts'

/** A state of the recorded network: the last block of each chain, and unix seconds that locks are judged by. */
export interface Moment {
  heights: Record<Chain, number>
  now: number
}

const AVAX = network.avaxAssetID
const DUST = 2_000_000n

/** Balances of an address by the replayed truth; nothing of our decoder is in here. */
export function expectedPvm(address: string, filterOutDust: boolean, moment: Moment): PvmBalances {
  const { now } = moment
  const own = live(address, 'P', 'P', moment).filter(({ assetId, amount }) => {
    return assetId === AVAX && !(filterOutDust && BigInt(amount ?? 0) < DUST)
  })
  const platform = own.filter(({ locktime }) => locktime > now)
  const stakeable = own.filter((utxo) => !platform.includes(utxo) && (utxo.stakeableLocktime ?? 0) > now)
  const open = own.filter((utxo) => !platform.includes(utxo) && !stakeable.includes(utxo))
  const staked = stakesOf(address, moment.heights.P)
  // A lock that has run out is none, though the recorded chain stands still and the stake with it.
  const locked = staked.filter(({ end, stakeableLocktime }) => (stakeableLocktime ?? 0) > Math.max(end, now))
  const lockedStaked = total(locked)
  return {
    native: sum(own) + total(staked),
    unlockedStaked: total(staked) - lockedStaked,
    lockedStaked,
    unlockedUnstaked: sum(open.filter(({ threshold }) => threshold === 1)),
    unlockedUnstakedMultiSig: sum(open.filter(({ threshold }) => threshold > 1)),
    lockedPlatform: sum(platform),
    lockedStakeable: sum(stakeable),
    restakedRewards: 0n,
    atomicMemoryUnlocked: atomicAvax(address, moment, false),
    atomicMemoryLocked: atomicAvax(address, moment, true),
  }
}

export function expectedAvm(address: string, moment: Moment): AvmBalances {
  const own = live(address, 'X', 'X', moment)
  const isLocked = lockedAt(moment)
  return {
    native: sum(own.filter(({ assetId }) => assetId === AVAX)),
    unlocked: items(own.filter((utxo) => !isLocked(utxo))),
    locked: items(own.filter(isLocked)),
    ...atomicAssets(address, 'X', ['P', 'C'], moment),
  }
}

export function expectedCoreth(address: string, moment: Moment): CorethBalances {
  const waiting = [...live(address, 'C', 'X', moment), ...live(address, 'C', 'P', moment)]
  return {
    native: sum(waiting.filter(({ assetId }) => assetId === AVAX)),
    ...atomicAssets(address, 'C', ['X', 'P'], moment),
  }
}

/** UTXOs of an address that can be spent on one chain and were made on another, or on the same. */
function live(address: string, on: Chain, from: Chain, { heights }: Moment): TrueUtxo[] {
  return truthUtxos.filter((utxo) => {
    const here = utxo.consumableOnChain === on && utxo.createdOnChain === from && utxo.addresses.includes(address)
    // Stakes still running have no height from which they can be spent; threshold 0 is found by nobody.
    const made = utxo.spendableAtHeight !== null && utxo.spendableAtHeight <= heights[from] && utxo.threshold > 0
    return here && made && (utxo.consumedAtHeight === null || utxo.consumedAtHeight > heights[on])
  })
}

function stakesOf(address: string, height: number) {
  return truthStakers
    .filter((staker) => staker.addedAtHeight <= height && (staker.removedAtHeight ?? Number.POSITIVE_INFINITY) > height)
    .flatMap(({ end, stakeOutputs }) => stakeOutputs.map((output) => ({ end, ...output })))
    .filter(({ addresses }) => addresses.includes(address))
}

/** One address alone can sign for nothing that takes two. */
const lockedAt =
  ({ now }: Moment) =>
  ({ locktime, threshold }: TrueUtxo) =>
    locktime > now || threshold > 1

const sum = (utxos: readonly TrueUtxo[]) => utxos.reduce((all, { amount }) => all + BigInt(amount ?? 0), 0n)
const total = (outputs: readonly { amount: string }[]) => outputs.reduce((all, { amount }) => all + BigInt(amount), 0n)

function atomicAvax(address: string, moment: Moment, locked: boolean): Record<string, bigint> {
  const amounts: Record<string, bigint> = {}
  for (const from of ['X', 'C'] as const) {
    const utxos = live(address, 'P', from, moment).filter(({ assetId }) => assetId === AVAX)
    const amount = sum(utxos.filter((utxo) => lockedAt(moment)(utxo) === locked))
    if (amount > 0n) amounts[network.chains[from]] = amount
  }
  return amounts
}

function atomicAssets(address: string, on: Chain, from: readonly Chain[], moment: Moment) {
  const atomicMemoryUnlocked: Record<string, AssetAmount[]> = {}
  const atomicMemoryLocked: Record<string, AssetAmount[]> = {}
  const isLocked = lockedAt(moment)
  for (const source of from) {
    const utxos = live(address, on, source, moment)
    const chain = source === 'P' ? PRIMARY_NETWORK_ID : network.chains[source]
    const locked = items(utxos.filter(isLocked))
    const unlocked = items(utxos.filter((utxo) => !isLocked(utxo)))
    if (locked.length > 0) atomicMemoryLocked[chain] = locked
    if (unlocked.length > 0) atomicMemoryUnlocked[chain] = unlocked
  }
  return { atomicMemoryUnlocked, atomicMemoryLocked }
}

function items(utxos: readonly TrueUtxo[]): AssetAmount[] {
  const ids = [...new Set(utxos.filter(({ amount }) => amount !== null).map(({ assetId }) => assetId))].sort()
  const ordered = ids.includes(AVAX) ? [AVAX, ...ids.filter((id) => id !== AVAX)] : ids
  return ordered.map((assetId) => {
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
}
