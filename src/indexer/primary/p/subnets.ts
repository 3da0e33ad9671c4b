import type { UnsignedPTx } from '../../../chains/avalanche/codec/index.ts'
import { StreamBlockedError } from '../../runner/stream-errors.ts'
import { ownerSet } from '../utxo-rows.ts'
import type { PContext } from './context.ts'

export type SubnetTx = Extract<
  UnsignedPTx,
  {
    type:
      | 'CreateSubnetTx'
      | 'CreateChainTx'
      | 'TransferSubnetOwnershipTx'
      | 'TransformSubnetTx'
      | 'RemoveSubnetValidatorTx'
      | 'SetAutoRenewedValidatorConfigTx'
  }
>

/** Transactions that set up subnets, chains and validators' own settings. */
export function applySubnetTx(context: PContext, id: string, tx: SubnetTx): void {
  const { sink, state, at } = context
  switch (tx.type) {
    case 'CreateSubnetTx':
      setSubnet(context, { id, height: at.height, owner: ownerSet(tx.owner) })
      break
    case 'TransferSubnetOwnershipTx': {
      const subnet = state.subnets.get(tx.subnetId)
      if (!subnet) throw new StreamBlockedError(`${id} gives away the unknown subnet ${tx.subnetId}`)
      setSubnet(context, { ...subnet, owner: ownerSet(tx.newOwner) })
      break
    }
    case 'CreateChainTx': {
      const { subnetId, chainName: name, vmId } = tx
      sink.chains.push({ id, subnetId, name, vmId, height: at.height })
      break
    }
    case 'TransformSubnetTx':
      transformSubnet(context, tx)
      break
    case 'RemoveSubnetValidatorTx': {
      const staker = state.stakers.validator(tx.subnetId, tx.nodeId)
      if (!staker) throw new StreamBlockedError(`${id} removes a validator that is not there`)
      state.stakers.remove(staker)
      sink.changeStaker({ txId: staker.txId, ended: { ...at, outcome: 'removed' } })
      break
    }
    case 'SetAutoRenewedValidatorConfigTx': {
      const renewal = state.stakers.get(tx.txId)?.renewal
      if (!renewal) throw new StreamBlockedError(`${id} sets up ${tx.txId}, which does not renew itself`)
      renewal.period = tx.period
      renewal.compoundShares = tx.autoCompoundRewardShares
    }
  }
}

function setSubnet({ state, sink }: PContext, row: Parameters<PContext['sink']['setSubnet']>[0]): void {
  state.subnets.set(row.id, row)
  sink.setSubnet(row)
}

/** Gives the subnet its own asset for staking and rewards. */
function transformSubnet({ state, rules }: PContext, tx: Extract<SubnetTx, { type: 'TransformSubnetTx' }>): void {
  state.supply.set(tx.subnetId, tx.initialSupply)
  state.elastic.set(tx.subnetId, {
    assetId: tx.assetId,
    maxRate: tx.maxConsumptionRate,
    minRate: tx.minConsumptionRate,
    mintingSeconds: rules.reward.mintingSeconds,
    supplyCap: tx.maximumSupply,
  })
}
