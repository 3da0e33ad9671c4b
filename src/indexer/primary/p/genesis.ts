import type { Genesis, PTx } from '../../../chains/avalanche/codec/index.ts'
import { createOutputs } from '../utxo-rows.ts'
import type { PContext } from './context.ts'
import { describe, startStaker } from './staking.ts'
import { PRIMARY_NETWORK } from './state.ts'

/** The genesis of P. */
export type PGenesisFacts = Pick<Genesis, 'utxos' | 'validators' | 'chains' | 'timestamp' | 'initialSupply'>

/** The state before the first block: allocations, first validators (whose rewards raise the supply) and chains. */
export function applyPGenesis(base: PContext, genesis: PGenesisFacts): void {
  const { sink, state } = base
  state.time = genesis.timestamp
  state.supply.set(PRIMARY_NETWORK, genesis.initialSupply)
  const context: PContext = { ...base, at: { height: 0n, time: genesis.timestamp } }
  for (const { txId, outputIndex, assetId, output } of genesis.utxos) {
    createOutputs(sink, context.at, txId, outputIndex, [{ assetId, output }])
  }
  for (const validator of genesis.validators) addValidator(context, validator)
  for (const { id, unsignedTx } of genesis.chains) {
    if (unsignedTx.type !== 'CreateChainTx') continue
    const { subnetId, chainName: name, vmId } = unsignedTx
    sink.chains.push({ id, subnetId, name, vmId, height: 0n })
  }
}

function addValidator(context: PContext, { id, unsignedTx }: PTx): void {
  if (unsignedTx.type !== 'AddValidatorTx' && unsignedTx.type !== 'AddPermissionlessValidatorTx') return
  startStaker(context, describe(context, id, unsignedTx), unsignedTx)
}
