import { parseBech32Address } from '../../../src/lib/bech32-address.ts'
import { bytesToHex, idFromCb58 } from '../../../src/lib/ids.ts'
import { decodeNodeHex, encodeNodeHex } from '../../../src/lib/node-hex.ts'
import { recordedJson, recordedLines } from '../../support/recordings.ts'
import type { Ledger, LedgerStaker } from './ledger-node.ts'

/** A UTXO of the recorded network as the independent program wrote it down. */
export interface TruthUtxo {
  utxoId: string
  txHash: string
  createdOnChain: 'P' | 'X' | 'C'
  consumableOnChain: 'P' | 'X' | 'C'
  assetId: string
  amount: string | null
  addresses: string[]
  threshold: number
  locktime: number
  stakeableLocktime: number | null
  type: string
  kind: string
  spendableAtHeight: number | null
  consumedBy: string | null
  utxoBytes: string
}

export interface TruthStaker {
  txID: string
  type: string
  nodeID: string
  subnetID: string
  weight: string
  end: number
  current: boolean
  stakeOutputs: {
    utxoId: string
    amount: string
    addresses: string[]
    threshold: number
    locktime: number
    stakeableLocktime: number | null
  }[]
}

interface AddressState {
  address: string
  P: {
    utxos: string[]
    atomicX: string[]
    atomicC: string[]
    balance: Record<string, string>
    stake: { staked: string; stakedOutputs: string[] }
  }
  X: {
    utxos: string[]
    atomicP: string[]
    atomicC: string[]
    balances: { balances: { asset: string; balance: string }[] }
  }
  C: { atomicP: string[]; atomicX: string[] }
}

export const network = recordedJson<{
  avaxAssetID: string
  chains: Record<'P' | 'X' | 'C', string>
  upgrades: Record<string, unknown>
  assets: { assetID: string; name: string; symbol: string; denomination: string }[]
}>('network')
export const finalState = recordedJson<{ time: number }>('final-state')
export const addressStates = recordedLines<AddressState>('address-state')
export const truthUtxos = recordedLines<TruthUtxo>('truth/utxos')
export const truthStakers = recordedLines<TruthStaker>('truth/stakers')

const PRIMARY = '11111111111111111111111111111111LpoYY'

/** The recorded network at its end: the memories from the node's own answers, the stakes from the replayed truth. */
export function recordedLedger(): Ledger {
  const memories = new Map<string, Set<string>>()
  const add = (memory: string, utxos: readonly string[]) => {
    const set = memories.get(memory) ?? new Set()
    for (const utxo of utxos) set.add(utxo)
    memories.set(memory, set)
  }
  for (const { P, X, C } of addressStates) {
    add('P', P.utxos)
    add('P←X', P.atomicX)
    add('P←C', P.atomicC)
    add('X', X.utxos)
    add('X←P', X.atomicP)
    add('X←C', X.atomicC)
    add('C←P', C.atomicP)
    add('C←X', C.atomicX)
  }
  return {
    networkId: 5,
    hrp: 'fuji',
    chainIds: { ...network.chains },
    avaxAssetId: idFromCb58(network.avaxAssetID),
    memories: new Map([...memories].map(([memory, utxos]) => [memory, [...utxos]])),
    stakers: truthStakers.filter(({ current, subnetID }) => current && subnetID === PRIMARY).map(stakerOf),
    assets: new Map(network.assets.map(({ assetID, ...asset }) => [assetID, asset])),
    heights: { P: 371, X: 212, C: 646 },
    upgrades: network.upgrades,
  }
}

function stakerOf(staker: TruthStaker): LedgerStaker {
  const bytes = new Map(truthUtxos.filter(({ kind }) => kind === 'stake').map((utxo) => [utxo.utxoId, utxo.utxoBytes]))
  return {
    txId: staker.txID,
    nodeId: staker.nodeID,
    kind: staker.type.includes('Delegator') ? 'delegator' : 'validator',
    endTime: staker.end,
    weight: BigInt(staker.weight),
    outputs: staker.stakeOutputs.map((output) => ({
      hex: transferableHex(bytes.get(output.utxoId) as string),
      owners: output.addresses.map((address) => bytesToHex(parseBech32Address(address).bytes)),
    })),
    unsignedTx: { stake: staker.stakeOutputs.map(jsonOutput) },
  }
}

/** A UTXO without its transaction id and index is the output that getStake sends. */
export function transferableHex(utxoHex: string): string {
  return encodeNodeHex(Buffer.concat([Buffer.alloc(2), decodeNodeHex(utxoHex).subarray(38)]))
}

export function jsonOutput(output: TruthStaker['stakeOutputs'][number]): unknown {
  const { amount, addresses, threshold, locktime, stakeableLocktime } = output
  const inner = { addresses: addresses.map((address) => `P-${address}`), amount: Number(amount), locktime, threshold }
  return {
    assetID: network.avaxAssetID,
    fxID: 'spdxUxVJQbX85MGxMHbKw1sHxMnSqJ3QBzDyDYEP3h6TLuxqQ',
    output: stakeableLocktime === null ? inner : { locktime: stakeableLocktime, output: inner },
  }
}
