import { idFromCb58 } from '../../../../src/lib/bytes/ids.ts'
import { network, truthStakers, truthUtxos } from '../../../chains/avalanche/recorded-truth.ts'
import { recordedLines } from '../../../support/recorded/recordings.ts'
import type { TrueUtxo } from '../../../support/recorded/true-utxos.ts'
import { decodeAddress } from '../../../support/replay-node/wire/address-text.ts'
import type { Side } from './expected.ts'
import type { Coin, World } from './world.ts'

const hexOf = (address: string): string => Buffer.from(decodeAddress(address).bytes).toString('hex')

/** Hex of every address that ever owned anything on the recorded network. */
export const RECORDED_OWNERS: readonly string[] = [
  ...new Set(truthUtxos.filter(({ threshold }) => threshold > 0).flatMap(({ addresses }) => addresses)),
].map(hexOf)

const AVAX = idFromCb58(network.avaxAssetID)

const blocks = recordedLines<{ chain: string; height: number; timestamp: number }>('truth/blocks')

/** How high each chain was at a time: no chain knows what another has not made yet. Unix seconds. */
export function heightsAt(time: number): Record<Side, number> {
  const height = (chain: Side): number =>
    Math.max(0, ...blocks.filter((one) => one.chain === chain && one.timestamp <= time).map((one) => one.height))
  return { P: height('P'), X: height('X'), C: height('C') }
}

/** The recorded network at any heights, out of what an independent program made of its containers. */
export function recordedWorld(heights: Record<Side, number>, now: number): World {
  const coins = new Map<string, Coin[]>()
  for (const utxo of truthUtxos) {
    if (utxo.amount === null || !isThere(utxo, heights)) continue
    const { consumableOnChain: on, createdOnChain: from } = utxo
    const memory = on === from ? on : `${on}←${from}`
    const coin = { ...outputOf(utxo), asset: idFromCb58(utxo.assetId), locktime: BigInt(utxo.locktime) }
    coins.set(memory, [...(coins.get(memory) ?? []), coin])
  }
  const stakes = truthStakers
    .filter(
      ({ addedAtHeight, removedAtHeight }) => addedAtHeight <= heights.P && (removedAtHeight ?? Infinity) > heights.P,
    )
    .map(({ end, stakeOutputs }) => ({
      end,
      outputs: stakeOutputs.map((output) => ({ ...outputOf(output), asset: AVAX, locktime: 0n })),
    }))
  const chainIds = { ...network.chains, P: '11111111111111111111111111111111LpoYY' }
  return { facts: { now, avax: AVAX, chainIds, described }, coins, stakes }
}

type Output = Pick<TrueUtxo, 'amount' | 'addresses' | 'threshold' | 'stakeableLocktime'>

const outputOf = ({ amount, addresses, threshold, stakeableLocktime }: Output) => ({
  amount: BigInt(amount ?? 0),
  owners: addresses.map(hexOf),
  threshold,
  until: BigInt(stakeableLocktime ?? 0),
})

/** Nobody finds what needs no signature. */
const isThere = (utxo: TrueUtxo, heights: Record<Side, number>): boolean =>
  utxo.threshold > 0 &&
  utxo.spendableAtHeight !== null &&
  utxo.spendableAtHeight <= heights[utxo.createdOnChain] &&
  (utxo.consumedAtHeight === null || utxo.consumedAtHeight > heights[utxo.consumableOnChain])

function described(hex: string) {
  const asset = network.assets.find(({ assetID }) => idFromCb58(assetID) === hex)
  if (!asset) throw new Error(`asset ${hex} is not in the recordings`)
  const { assetID: assetId, name, symbol, denomination } = asset
  return { assetId, name, symbol, decimals: Number(denomination), type: hex === AVAX ? 'native' : 'unknown' }
}
