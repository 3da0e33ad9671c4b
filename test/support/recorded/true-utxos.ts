import type { ChainLetter } from '../../../src/facts/primary-network.ts'
import { recordedLines } from './recordings.ts'

/** A UTXO of the recorded network as an independent program, which replayed all containers, wrote it down. */
export interface TrueUtxo {
  utxoId: string
  txHash: string
  outputIndex: number
  createdOnChain: ChainLetter
  consumableOnChain: ChainLetter
  sharedMemory: boolean
  assetId: string
  amount: string | null
  addresses: string[]
  threshold: number
  /** Unix seconds, as all times. */
  locktime: number
  stakeableLocktime: number | null
  type: string
  kind: string
  createdAtHeight: number
  createdAtTime: number
  spendableAtHeight: number | null
  spendableAtTime: number | null
  staking?: { start: number; end: number }
  rewardType?: 'VALIDATOR' | 'DELEGATOR' | 'VALIDATOR_FEE'
  rewardTx?: string
  rewardTxHeight?: number
  consumedBy: string | null
  consumedOnChain: ChainLetter | null
  consumedAtHeight: number | null
  consumedAtTime: number | null
  groupId?: number
  payload?: string
  utxoBytes: string
}

let read: readonly TrueUtxo[] | undefined

/** Read once: thousands of outputs, and some tests look at them for every address. */
export const trueUtxos = (): readonly TrueUtxo[] => {
  read ??= recordedLines<TrueUtxo>('truth/utxos')
  return read
}
