import {
  buildGenesis,
  decodePTx,
  decodeUtxo,
  encodeUtxo,
  type Utxo,
} from '../../../../src/chains/avalanche/codec/index.ts'
import { idToCb58 } from '../../../../src/lib/bytes/ids.ts'
import { decodeNodeHex, encodeNodeHex } from '../../../../src/lib/bytes/node-hex.ts'
import type { Recordings } from '../recorded/recordings.ts'

const GENESIS = 'network/genesis.json'
const kept = new WeakMap<Recordings, ReadonlyMap<string, string[]>>()

/** A genesis validator: where its reward outputs begin, and whom they are paid to. */
interface GenesisStaker {
  first: number
  owner: Pick<Extract<Utxo['output'], { type: 'secp-transfer' }>, 'locktime' | 'threshold' | 'addresses'>
}

/**
 * Rewards of the stakers that the network began with, as hex with its checksum by the staker's id. Their transactions
 * are in no block, so that no recorded transaction tells of them: what is unspent stands with its owner at the end, what
 * was spent in the transaction that spent it. None where the genesis is not recorded.
 */
export function genesisRewards(recordings: Recordings): ReadonlyMap<string, string[]> {
  const known = kept.get(recordings)
  if (known) return known
  const stakers = genesisStakers(recordings)
  const found = new Map<string, Utxo>()
  if (stakers.size > 0) {
    for (const utxo of [...unspent(recordings), ...spent(recordings, stakers)]) {
      if (utxo.outputIndex >= (stakers.get(utxo.txId)?.first ?? Number.POSITIVE_INFINITY))
        found.set(`${utxo.txId}${utxo.outputIndex}`, utxo)
    }
  }
  const rewards = new Map<string, string[]>()
  for (const utxo of [...found.values()].sort((a, b) => a.outputIndex - b.outputIndex)) {
    const id = idToCb58(utxo.txId)
    rewards.set(id, [...(rewards.get(id) ?? []), encodeNodeHex(encodeUtxo(utxo))])
  }
  kept.set(recordings, rewards)
  return rewards
}

function genesisStakers(recordings: Recordings): Map<string, GenesisStaker> {
  const stakers = new Map<string, GenesisStaker>()
  if (!recordings.has(GENESIS)) return stakers
  for (const { id, unsignedTx } of buildGenesis(recordings.text(GENESIS)).validators) {
    if (!('stakeOutputs' in unsignedTx)) continue
    const first = unsignedTx.outputs.length + unsignedTx.stakeOutputs.length
    // The genesis names one address for both kinds of rewards.
    const owner = 'rewardsOwner' in unsignedTx ? unsignedTx.rewardsOwner : unsignedTx.validatorRewardsOwner
    stakers.set(id, { first, owner })
  }
  return stakers
}

function* unspent(recordings: Recordings): Generator<Utxo> {
  for (const line of recordings.lines('network/address-state.ndjson.gz')) {
    const { P } = JSON.parse(line) as { P: { utxos: string[] } }
    for (const utxo of P.utxos) yield decodeUtxo(decodeNodeHex(utxo))
  }
}

function* spent(recordings: Recordings, stakers: ReadonlyMap<string, GenesisStaker>): Generator<Utxo> {
  for (const line of recordings.lines('network/p-txs.ndjson.gz')) {
    const { hex } = JSON.parse(line) as { hex: string }
    const { unsignedTx } = decodePTx(decodeNodeHex(hex))
    if (!('inputs' in unsignedTx)) continue
    for (const { txId, outputIndex, assetId, input } of unsignedTx.inputs) {
      const staker = stakers.get(txId)
      if (!staker || input.type !== 'secp-transfer') continue
      const { locktime, threshold, addresses } = staker.owner
      const output = { type: 'secp-transfer' as const, amount: input.amount, locktime, threshold, addresses }
      yield { txId, outputIndex, assetId, output }
    }
  }
}
