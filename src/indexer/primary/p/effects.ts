import type { PBlock, PTx } from '../../../chains/avalanche/codec/index.ts'
import { StreamBlockedError } from '../../runner/stream-errors.ts'
import { letterOf } from '../network-ids.ts'
import { consumeInputs, createOutputs, typeIdOf } from '../utxo-rows.ts'
import type { PContext } from './context.ts'
import { convertSubnet, disableValidator, increaseBalance, type Refund, registerValidator, setWeight } from './l1.ts'
import { endStaker, renewStaker } from './stake-ends.ts'
import { addStaker, type StakingTx } from './staking.ts'
import { applySubnetTx } from './subnets.ts'
import { advanceTime, deactivatePoor } from './time.ts'

/** A proposal without its option yet. */
export interface OpenProposal {
  tx: PTx
  height: bigint
}

/**
 * Applies a P block in the node's order: time advances, transactions run, then L1 validators that cannot pay another
 * second are deactivated. Changes the state and writes rows to the sink; makes no calls.
 * @param open the proposal that this block decides, if it is an option
 * @returns the proposal that this block makes
 */
export function applyPBlock(base: PContext, block: PBlock, open: OpenProposal | undefined): OpenProposal | undefined {
  switch (block.type) {
    case 'ApricotStandardBlock':
      applyTxs(base, block.txs)
      return undefined
    case 'ApricotAtomicBlock':
      applyTxs(base, [block.tx])
      return undefined
    case 'BanffStandardBlock':
      advanceTime(base, block.time)
      applyTxs(base, block.txs)
      deactivatePoor(base)
      return undefined
    case 'BanffProposalBlock':
      advanceTime(base, block.time)
      applyTxs(base, block.decisionTxs)
      deactivatePoor(base)
      return propose(base, block, block.decisionTxs.length)
    case 'ApricotProposalBlock':
      return propose(base, block, 0)
    default:
      if (!open) throw new StreamBlockedError(`P block ${block.height} decides nothing`)
      decide(base, open, block.type.endsWith('CommitBlock'))
      return undefined
  }
}

function propose({ sink, at }: PContext, { tx, height }: { tx: PTx; height: bigint }, position: number): OpenProposal {
  sink.transactions.push({ id: tx.id, height: at.height, time: at.time, position, type: typeIdOf(tx.bytes) })
  return { tx, height }
}

function applyTxs(context: PContext, txs: readonly PTx[]): void {
  const { sink, at } = context
  const { height, time } = at
  for (const [position, tx] of txs.entries()) {
    sink.transactions.push({ id: tx.id, height, time, position, type: typeIdOf(tx.bytes) })
    applyTx(context, tx)
  }
}

function decide(context: PContext, { tx, height }: OpenProposal, committed: boolean): void {
  const { unsignedTx } = tx
  const proposal = { txId: tx.id, height }
  switch (unsignedTx.type) {
    case 'AdvanceTimeTx':
      if (committed) advanceTime({ ...context, at: { ...context.at, time: unsignedTx.time } }, unsignedTx.time)
      break
    case 'RewardValidatorTx':
      endStaker(context, unsignedTx.txId, committed, proposal)
      break
    case 'RewardAutoRenewedValidatorTx':
      renewStaker(context, unsignedTx.txId, committed, proposal)
      break
    case 'AddValidatorTx':
    case 'AddDelegatorTx':
    case 'AddSubnetValidatorTx':
      // Before Banff stakers were proposals; a refused one gets its stake back as ordinary outputs.
      moveBase(context, tx.id, unsignedTx)
      if (committed) addStaker(context, tx, unsignedTx)
      else if ('stakeOutputs' in unsignedTx)
        createOutputs(context.sink, context.at, tx.id, unsignedTx.outputs.length, unsignedTx.stakeOutputs)
      break
    default:
      throw new StreamBlockedError(`${unsignedTx.type} ${tx.id} as a proposal`)
  }
}

type BaseTx = Extract<PTx['unsignedTx'], { inputs: unknown }>

function moveBase({ sink, at }: PContext, id: string, { inputs, outputs }: BaseTx): void {
  consumeInputs(sink, at, id, inputs)
  createOutputs(sink, at, id, 0, outputs)
}

function applyTx(context: PContext, tx: PTx): void {
  const { unsignedTx } = tx
  if (!('inputs' in unsignedTx)) throw new StreamBlockedError(`${unsignedTx.type} ${tx.id} outside a proposal`)
  moveBase(context, tx.id, unsignedTx)
  if (isStaking(unsignedTx)) {
    addStaker(context, tx, unsignedTx)
    return
  }
  const refund = applyByType(context, tx.id, unsignedTx)
  if (refund) payRefund(context, tx.id, unsignedTx.outputs.length, refund)
}

const isStaking = (tx: BaseTx): tx is StakingTx => tx.type.startsWith('Add')

function applyByType(context: PContext, id: string, tx: Exclude<BaseTx, StakingTx>): Refund | undefined {
  const { sink, at, ids } = context
  switch (tx.type) {
    case 'BaseTx':
      return undefined
    case 'ImportTx':
      consumeInputs(sink, at, id, tx.importedInputs, { importedFrom: letterOf(ids, tx.sourceChain) })
      return undefined
    case 'ExportTx':
      createOutputs(sink, at, id, tx.outputs.length, tx.exportedOutputs, {
        exportedTo: letterOf(ids, tx.destinationChain),
      })
      return undefined
    case 'ConvertSubnetToL1Tx':
      convertSubnet(context, tx)
      return undefined
    case 'RegisterL1ValidatorTx':
      registerValidator(context, tx)
      return undefined
    case 'SetL1ValidatorWeightTx':
      return setWeight(context, tx)
    case 'IncreaseL1ValidatorBalanceTx':
      increaseBalance(context, tx)
      return undefined
    case 'DisableL1ValidatorTx':
      return disableValidator(context, tx)
    default:
      applySubnetTx(context, id, tx)
      return undefined
  }
}

function payRefund({ sink, at, rules }: PContext, txId: string, outputIndex: number, { amount, owner }: Refund): void {
  sink.utxos.push({ txId, outputIndex, kind: 'transfer', assetId: rules.avaxAssetId, amount, ...owner, ...at })
}
