import { recordedJson, recordedLines } from '../../support/recorded/recordings.ts'
import { trueUtxos } from '../../support/recorded/true-utxos.ts'

export type Chain = 'P' | 'X' | 'C'

/** A stake with its outputs. Times in unix seconds. */
export interface TruthStaker {
  subnetID: string
  end: number
  addedAtHeight: number
  removedAtHeight: number | null
  stakeOutputs: { amount: string; addresses: string[]; threshold: number; stakeableLocktime: number | null }[]
}

/** What a real node answered for an address at the end. */
interface AddressState {
  address: string
  P: { balance: Record<string, string>; stake: { staked: string } }
  X: { balances: { balances: { asset: string; balance: string }[] } }
}

export const network = recordedJson<{
  avaxAssetID: string
  chains: Record<Chain, string>
  assets: { assetID: string; name: string; symbol: string; denomination: string }[]
}>('network')
/** Unix seconds at which the address states were read. */
export const END_TIME = recordedJson<{ time: number }>('final-state').time
export const addressStates = recordedLines<AddressState>('address-state')
export const truthUtxos = trueUtxos()
export const truthStakers = recordedLines<TruthStaker>('truth/stakers')
/** Unix seconds of P blocks, by height. */
export const blockTimes = new Map(
  recordedLines<{ chain: string; height: number; timestamp: number }>('truth/blocks')
    .filter(({ chain }) => chain === 'P')
    .map(({ height, timestamp }) => [height, timestamp]),
)
