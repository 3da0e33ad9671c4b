import { BadAnswerError } from '../../../errors.ts'
import { parseBech32Address } from '../../../lib/bytes/bech32-address.ts'
import { bytesToHex, idFromCb58 } from '../../../lib/bytes/ids.ts'
import { type JsonRecord, recordOf } from '../../../lib/json/json-record.ts'
import type { CallOptions, UpstreamPool } from '../../../upstream/types.ts'
import { listOf, textOf, uintOf } from './answers.ts'
import { askFor } from './ask.ts'

/** One staked output. Amount in nAVAX, times in unix seconds (0 = none). */
export interface StakedOutput {
  /** Hex without 0x. */
  assetId: string
  amount: bigint
  locktime: bigint
  /** Until then the output can only be staked; 0 = not bound. */
  stakeableUntil: bigint
  threshold: number
  /** Hex of 20 bytes each, in the order of the transaction. */
  owners: string[]
}

/** The parts of a staking transaction that matter for balances. */
export interface StakingTx {
  stake: StakedOutput[]
}

/** The staked outputs of a staking transaction, from the node's JSON form, which is the same for all staking types. */
export async function readStakingTx(pool: UpstreamPool, txId: string, call: CallOptions): Promise<StakingTx> {
  return askFor(pool, '/ext/bc/P', 'platform.getTx', { txID: txId, encoding: 'json' }, call, (answer) => {
    const tx = recordOf(recordOf(answer, 'getTx')['tx'], 'getTx tx')
    // It is kept for good: what is restaked, and what is locked, would be judged by the stake of another.
    // Nodes before v1.10.5 do not tell the id.
    if (tx['id'] !== undefined && tx['id'] !== txId) throw new BadAnswerError(`getTx: another transaction than ${txId}`)
    const unsigned = recordOf(tx['unsignedTx'], 'getTx unsignedTx')
    const stake = listOf(unsigned['stake'] ?? null, 'getTx stake')
    return { stake: stake.map((entry) => stakedOf(recordOf(entry, 'stake'))) }
  })
}

function stakedOf(entry: JsonRecord): StakedOutput {
  const outer = recordOf(entry['output'], 'stake output')
  // A stakeable lock wraps the inner output under the same name.
  const wrapped = outer['output'] !== undefined
  const inner = wrapped ? recordOf(outer['output'], 'stake output') : outer
  return {
    assetId: idFromCb58(textOf(entry['assetID'], 'stake assetID')),
    amount: uintOf(inner['amount'], 'stake amount'),
    locktime: uintOf(inner['locktime'], 'stake locktime'),
    stakeableUntil: wrapped ? uintOf(outer['locktime'], 'stake locktime') : 0n,
    threshold: Number(uintOf(inner['threshold'], 'stake threshold')),
    owners: listOf(inner['addresses'], 'stake addresses').map((text) =>
      bytesToHex(parseBech32Address(textOf(text, 'stake address')).bytes),
    ),
  }
}
