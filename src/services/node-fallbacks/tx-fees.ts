import type { Ask } from './ask.ts'
import { recordIn, textIn } from './members.ts'

/** Fees in nAVAX as decimal strings; members in the order of a node's answer. */
export interface TxFees {
  readonly [name: string]: string
}

/** Node conventions 3, info.getTxFee. All but the first two are "no longer used" (spec 2) and fixed for good. */
const fees = (createSubnet: string, transformSubnet: string): TxFees => ({
  createSubnetTxFee: createSubnet,
  transformSubnetTxFee: transformSubnet,
  createBlockchainTxFee: createSubnet,
  addPrimaryNetworkValidatorFee: '0',
  addPrimaryNetworkDelegatorFee: '0',
  addSubnetValidatorFee: '1000000',
  addSubnetDelegatorFee: '1000000',
})
const MAINNET = fees('1000000000', '10000000000')
const FUJI = fees('100000000', '1000000000')
const OTHERS = fees('100000000', '100000000')

const unusedFees = (networkId: string): TxFees => (networkId === '1' ? MAINNET : networkId === '5' ? FUJI : OTHERS)

/**
 * `info.getTxFee` from what newer nodes answer: the network's id, and the two fees of the X-chain that are in use.
 * @throws what `ask` throws; BadAnswerError.
 */
export async function composeTxFees(ask: Ask): Promise<TxFees> {
  const [network, own] = await Promise.all([ask('info.getNetworkID', {}, 'info'), ask('avm.getTxFee', {}, 'X')])
  const inUse = recordIn(own, 'avm.getTxFee')
  return {
    txFee: textIn(inUse, 'txFee'),
    createAssetTxFee: textIn(inUse, 'createAssetTxFee'),
    ...unusedFees(textIn(recordIn(network, 'info.getNetworkID'), 'networkID')),
  }
}
