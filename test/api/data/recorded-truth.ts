import { recordedLines } from '../../support/recordings.ts'

export type Letter = 'P' | 'X' | 'C'
export const LETTERS: readonly Letter[] = ['P', 'X', 'C']

/** A UTXO as an independent program found it. */
export interface TrueUtxo {
  utxoId: string
  txHash: string
  outputIndex: number
  createdOnChain: Letter
  consumableOnChain: Letter
  sharedMemory: boolean
  assetId: string
  amount: string | null
  addresses: string[]
  threshold: number
  locktime: number
  stakeableLocktime: number | null
  type: string
  kind: string
  createdAtHeight: number
  createdAtTime: number
  rewardTxHeight?: number
  spendableAtHeight: number | null
  staking?: { start: number; end: number }
  consumedBy: string | null
  consumedAtHeight: number | null
  consumedAtTime: number | null
  utxoBytes: string
}

export const trueUtxos = (): TrueUtxo[] => recordedLines<TrueUtxo>('truth/utxos')

export const isStaked = (utxo: TrueUtxo): boolean => utxo.kind === 'stake' && utxo.spendableAtHeight === null

/** Every address that ever owned something. */
export const everyAddress = (utxos: readonly TrueUtxo[]): string[] => [
  ...new Set(utxos.flatMap(({ addresses }) => addresses)),
]

export const placeOf = (letter: Letter): string => `/v1/networks/fuji/blockchains/${letter.toLowerCase()}-chain`
