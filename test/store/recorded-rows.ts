import { parseBech32Address } from '../../src/lib/bytes/bech32-address.ts'
import { bytesToHex, idFromCb58, parseNodeId } from '../../src/lib/bytes/ids.ts'
import type {
  BlockRow,
  ChainLetter,
  OutputKind,
  OwnerSet,
  ReleaseRow,
  SpendRow,
  StakerChangeRow,
  StakerRow,
  UtxoRow,
} from '../../src/store/index.ts'
import { recordedLines } from '../support/recorded/recordings.ts'
import { type TrueUtxo, trueUtxos } from '../support/recorded/true-utxos.ts'

export interface TruthBlock {
  chain: ChainLetter
  height: number
  type: string
  id: string
  outerId: string | null
  parentId: string
  outerParentId: string | null
  timestamp: number
  size: number | null
  txs?: string[]
  evmTxs?: string[]
  atomicTxs?: string[]
  proposerNodeID?: string | null
  proposerTimestamp?: number | null
  proposerPChainHeight?: number | null
  currentSupply?: string
  l1AccruedFees?: string
  activeL1Validators?: number
}

interface TruthOwner {
  threshold: number
  locktime: number
  addresses: string[]
}

export interface TruthStaker {
  txID: string
  type: string
  nodeID: string
  subnetID: string
  weight: string
  start: number
  end: number
  addedAtHeight: number
  addedAtTime: number
  removedAtHeight: number | null
  removedAtTime: number | null
  outcome: string | null
  potentialReward: string
  netReward?: string
  stakeOutputs: { outputIndex: number }[]
  delegationShares?: number
  accruedDelegateeReward?: string
  rewardsOwner?: TruthOwner
  validatorRewardsOwner?: TruthOwner
  delegatorRewardsOwner?: TruthOwner
  rewardTx?: string
  rewardTxHeight?: number
}

/** 32-byte id as hex, from cb58 or from 0x hex. */

/** 32-byte id as hex, from cb58 or from 0x hex. */
export const hexId = (id: string): string => (id.startsWith('0x') ? id.slice(2) : idFromCb58(id))

export const parseAddress = (text: string): string => bytesToHex(parseBech32Address(text).bytes)

/** Everything recorded about a chain, as rows of the store. */
export function rowsOf(letter: ChainLetter) {
  const utxos = trueUtxos()
  const stakers = letter === 'P' ? recordedLines<TruthStaker>('truth/stakers') : []
  return {
    blocks: recordedLines<TruthBlock>('truth/blocks')
      .filter((block) => block.chain === letter)
      .map(toBlock),
    utxos: utxos.filter((utxo) => utxo.createdOnChain === letter).map(toUtxo),
    spends: utxos.filter((utxo) => utxo.consumedOnChain === letter).map(toSpend),
    releases: utxos.filter((utxo) => utxo.createdOnChain === letter).flatMap(toRelease),
    stakers: stakers.map(toStaker),
    changes: stakers.flatMap(toChanges),
  }
}

function toBlock(block: TruthBlock): BlockRow {
  return {
    height: BigInt(block.height),
    id: hexId(block.id),
    parentId: hexId(block.parentId),
    ...(block.outerId === null ? {} : { outerId: hexId(block.outerId) }),
    ...(block.outerParentId === null ? {} : { outerParentId: hexId(block.outerParentId) }),
    type: block.type,
    time: BigInt(block.timestamp),
    size: block.size ?? 0,
    txIds: (block.txs ?? block.evmTxs ?? []).map(hexId),
    ...(block.atomicTxs === undefined ? {} : { atomicTxIds: block.atomicTxs.map(hexId) }),
    ...(block.proposerTimestamp === undefined || block.proposerTimestamp === null
      ? {}
      : {
          proposer: {
            ...(block.proposerNodeID ? { nodeId: parseNodeId(block.proposerNodeID) } : {}),
            pChainHeight: BigInt(block.proposerPChainHeight ?? 0),
            time: BigInt(block.proposerTimestamp),
          },
        }),
    ...(block.currentSupply === undefined ? {} : { currentSupply: BigInt(block.currentSupply) }),
    ...(block.l1AccruedFees === undefined ? {} : { l1AccruedFees: BigInt(block.l1AccruedFees) }),
    ...(block.activeL1Validators === undefined ? {} : { activeL1Validators: block.activeL1Validators }),
  }
}

const KINDS: Record<string, OutputKind> = {
  'secp.TransferOutput': 'transfer',
  'stakeable.LockOut': 'transfer',
  'secp.MintOutput': 'mint',
  'nft.TransferOutput': 'nft-transfer',
  'nft.MintOutput': 'nft-mint',
  'property.OwnedOutput': 'property-owned',
  'property.MintOutput': 'property-mint',
}

function toUtxo(utxo: TrueUtxo): UtxoRow {
  return {
    txId: hexId(utxo.txHash),
    outputIndex: utxo.outputIndex,
    kind: KINDS[utxo.type] ?? 'transfer',
    assetId: hexId(utxo.assetId),
    ...(utxo.amount === null ? {} : { amount: BigInt(utxo.amount) }),
    addresses: utxo.addresses.map(parseAddress),
    threshold: utxo.threshold,
    locktime: BigInt(utxo.locktime),
    ...(utxo.stakeableLocktime === null ? {} : { stakeableLocktime: BigInt(utxo.stakeableLocktime) }),
    ...(utxo.sharedMemory ? { exportedTo: utxo.consumableOnChain } : {}),
    height: BigInt(utxo.createdAtHeight),
    time: BigInt(utxo.createdAtTime),
    ...(utxo.groupId === undefined ? {} : { groupId: utxo.groupId }),
    ...(utxo.payload === undefined ? {} : { payload: utxo.payload }),
    ...(utxo.staking === undefined
      ? {}
      : { stake: { start: BigInt(utxo.staking.start), end: BigInt(utxo.staking.end) } }),
    ...(utxo.rewardType === undefined
      ? {}
      : {
          reward: {
            type: utxo.rewardType,
            txId: hexId(utxo.rewardTx ?? ''),
            height: BigInt(utxo.rewardTxHeight ?? 0),
          },
        }),
  }
}

function toSpend(utxo: TrueUtxo): SpendRow {
  return {
    txId: hexId(utxo.txHash),
    outputIndex: utxo.outputIndex,
    by: hexId(utxo.consumedBy ?? ''),
    height: BigInt(utxo.consumedAtHeight ?? 0),
    time: BigInt(utxo.consumedAtTime ?? 0),
    ...(utxo.sharedMemory ? { importedFrom: utxo.createdOnChain } : {}),
  }
}

function toRelease(utxo: TrueUtxo): (ReleaseRow & { height: bigint })[] {
  if (utxo.staking === undefined || utxo.spendableAtTime === null) return []
  return [
    {
      txId: hexId(utxo.txHash),
      outputIndex: utxo.outputIndex,
      time: BigInt(utxo.spendableAtTime),
      height: BigInt(utxo.spendableAtHeight ?? 0),
    },
  ]
}

const toOwner = (owner: TruthOwner): OwnerSet => ({
  threshold: owner.threshold,
  locktime: BigInt(owner.locktime),
  addresses: owner.addresses.map(parseAddress),
})

function toStaker(staker: TruthStaker): StakerRow {
  const reward = staker.rewardsOwner ?? staker.validatorRewardsOwner
  return {
    txId: hexId(staker.txID),
    kind: staker.type.includes('Delegator') ? 'delegator' : 'validator',
    subnetId: hexId(staker.subnetID),
    nodeId: parseNodeId(staker.nodeID),
    weight: BigInt(staker.weight),
    start: BigInt(staker.start),
    end: BigInt(staker.end),
    height: BigInt(staker.addedAtHeight),
    time: BigInt(staker.addedAtTime),
    firstStakeOutput: staker.stakeOutputs[0]?.outputIndex ?? 0,
    stakeOutputs: staker.stakeOutputs.length,
    potentialReward: BigInt(staker.potentialReward),
    potentialNet: BigInt(staker.netReward ?? staker.potentialReward),
    ...(staker.delegationShares === undefined ? {} : { delegationShares: staker.delegationShares }),
    ...(reward === undefined ? {} : { rewardsOwner: toOwner(reward) }),
    ...(staker.delegatorRewardsOwner === undefined ? {} : { feesOwner: toOwner(staker.delegatorRewardsOwner) }),
  }
}

function toChanges(staker: TruthStaker): (StakerChangeRow & { height: bigint })[] {
  const txId = hexId(staker.txID)
  const accrued = BigInt(staker.accruedDelegateeReward ?? 0)
  const changes: (StakerChangeRow & { height: bigint })[] = []
  if (accrued > 0n) changes.push({ txId, accruedFees: accrued, height: BigInt(staker.addedAtHeight) })
  if (staker.removedAtHeight !== null) {
    const outcome = staker.outcome === 'committed' || staker.outcome === 'aborted' ? staker.outcome : 'removed'
    changes.push({
      txId,
      height: BigInt(staker.removedAtHeight),
      ended: {
        height: BigInt(staker.removedAtHeight),
        time: BigInt(staker.removedAtTime ?? 0),
        outcome,
        ...(staker.rewardTx === undefined ? {} : { rewardTxId: hexId(staker.rewardTx) }),
        ...(staker.rewardTxHeight === undefined ? {} : { rewardHeight: BigInt(staker.rewardTxHeight) }),
      },
    })
  }
  return changes
}
