import { type Static, Type } from '@sinclair/typebox'
import { idToCb58 } from '../../../lib/bytes/ids.ts'
import type { UtxoRecord } from '../../../store/index.ts'
import { ChainInfoSchema, closed, NextPageTokenSchema, oneOf } from '../schemas.ts'
import { assetMembers, presentAsset } from './assets.ts'
import { addressText, type PrimaryChain } from './chain.ts'

const optional = Type.Optional
const text = Type.String()
const seconds = Type.Number({ description: 'Unix seconds.' })
const AssetAmountSchema = closed('AssetAmount', assetMembers)

const PChainUtxoSchema = closed('PChainUtxo', {
  addresses: Type.Array(text),
  asset: AssetAmountSchema,
  utxoId: text,
  utxoBytes: optional(text),
  amount: Type.String({ deprecated: true }),
  assetId: Type.String({ deprecated: true }),
  txHash: text,
  outputIndex: Type.Number(),
  blockTimestamp: seconds,
  blockNumber: text,
  createdOnChainId: text,
  consumedOnChainId: text,
  consumingTxHash: optional(text),
  consumingBlockTimestamp: optional(seconds),
  consumingBlockNumber: optional(text),
  platformLocktime: optional(seconds),
  stakeableLocktime: optional(seconds),
  threshold: optional(Type.Number()),
  staked: optional(Type.Boolean()),
  utxoStartTimestamp: optional(seconds),
  utxoEndTimestamp: optional(seconds),
  rewardType: optional(oneOf(['VALIDATOR', 'DELEGATOR', 'VALIDATOR_FEE'], { title: 'RewardType' })),
  utxoType: oneOf(['STAKE', 'TRANSFER'], { title: 'UtxoType' }),
})

const UtxoSchema = closed('Utxo', {
  addresses: Type.Array(text),
  asset: AssetAmountSchema,
  utxoId: text,
  utxoBytes: optional(text),
  creationTxHash: text,
  outputIndex: text,
  timestamp: seconds,
  createdOnChainId: text,
  consumedOnChainId: text,
  consumingTxHash: optional(text),
  consumingTxTimestamp: optional(seconds),
  locktime: Type.Number({ description: 'Unix seconds; 0 = none.' }),
  threshold: Type.Number(),
  utxoType: text,
  credentials: optional(Type.Array(closed('UtxoCredential', { signature: optional(text), publicKey: optional(text) }))),
  groupId: optional(Type.Number()),
  payload: optional(text),
})

const listOf = (title: string, utxo: typeof PChainUtxoSchema | typeof UtxoSchema) =>
  closed(title, { utxos: Type.Array(utxo), chainInfo: ChainInfoSchema, nextPageToken: NextPageTokenSchema })
export const ListPChainUtxosSchema = listOf('ListPChainUtxosResponse', PChainUtxoSchema)
export const ListUtxosSchema = listOf('ListUtxosResponse', UtxoSchema)

/** Outputs without an amount (minting rights, NFTs) count as zero. */
const amountOf = (utxo: UtxoRecord): string => (utxo.amount ?? 0n).toString()

/** Undefined members are left out of the JSON. */
type Written<T> = { [K in keyof T]: T[K] | undefined }

/*
 * All members stand in one literal, present or not: entries assembled from parts took as much time and memory as all
 * other work for a page.
 */

/** A UTXO as a P-chain list shows it; absent members are undefined, never null. */
export function presentPlatformUtxo(
  utxo: UtxoRecord,
  chain: PrimaryChain,
  utxoBytes: string,
): Written<Static<typeof PChainUtxoSchema>> {
  const amount = amountOf(utxo)
  const asset = presentAsset(utxo.asset, chain)
  const staked = utxo.stake?.active === true ? utxo.stake : undefined
  // Staked outputs are not consumed, even if a later spending is known.
  const consumed = staked ? undefined : utxo.consumed
  const native = utxo.createdOn === utxo.consumableOn
  return {
    addresses: utxo.addresses.map((address) => addressText(address, chain)),
    asset: { ...asset, amount },
    utxoId: idToCb58(utxo.id),
    utxoBytes,
    createdOnChainId: chain.identity.blockchainIds[utxo.createdOn],
    consumedOnChainId: chain.identity.blockchainIds[utxo.consumableOn],
    amount,
    assetId: asset.assetId,
    txHash: idToCb58(utxo.txId),
    outputIndex: utxo.outputIndex,
    blockTimestamp: Number(utxo.created.time),
    blockNumber: (utxo.reward?.height ?? utxo.created.height).toString(),
    consumingTxHash: consumed && idToCb58(consumed.by),
    consumingBlockTimestamp: consumed && Number(consumed.time),
    consumingBlockNumber: consumed?.height.toString(),
    platformLocktime: native || utxo.locktime > 0n ? Number(utxo.locktime) : undefined,
    stakeableLocktime: utxo.stakeableLocktime === undefined ? undefined : Number(utxo.stakeableLocktime),
    threshold: utxo.threshold,
    staked: staked && true,
    utxoStartTimestamp: staked && Number(staked.start),
    utxoEndTimestamp: staked && Number(staked.end),
    utxoType: utxo.stakeableLocktime === undefined ? 'TRANSFER' : 'STAKE',
  }
}

/** Hex; who signed when the output was spent. */
export type SpendingProof = readonly { signature: string; publicKey?: string }[]

const base64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64')

/** A UTXO as X- and C-chain lists show it. */
export function presentUtxo(
  utxo: UtxoRecord,
  chain: PrimaryChain,
  utxoBytes: string,
  proof?: SpendingProof,
): Written<Static<typeof UtxoSchema>> {
  const { consumed } = utxo
  return {
    addresses: utxo.addresses.map((address) => addressText(address, chain)),
    asset: { ...presentAsset(utxo.asset, chain), amount: amountOf(utxo) },
    utxoId: idToCb58(utxo.id),
    utxoBytes,
    createdOnChainId: chain.identity.blockchainIds[utxo.createdOn],
    consumedOnChainId: chain.identity.blockchainIds[utxo.consumableOn],
    creationTxHash: idToCb58(utxo.txId),
    outputIndex: String(utxo.outputIndex),
    timestamp: Number(utxo.created.time),
    consumingTxHash: consumed && idToCb58(consumed.by),
    consumingTxTimestamp: consumed && Number(consumed.time),
    locktime: Number(utxo.locktime),
    threshold: utxo.threshold,
    utxoType: utxo.kind,
    credentials: proof?.map(({ signature, publicKey }) => ({
      signature: base64(signature),
      ...(publicKey === undefined ? {} : { publicKey: base64(publicKey) }),
    })),
    groupId: utxo.groupId,
    payload: utxo.payload,
  }
}
