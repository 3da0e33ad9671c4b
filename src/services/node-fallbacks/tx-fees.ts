import { type Ask, lacksMethod } from './ask.ts'
import { recordIn, textIn } from './members.ts'

/** Fees in nAVAX as decimal strings; members in the order of a node's answer. */
export interface TxFees {
  readonly [name: string]: string
}

/** `info.getTxFee` as nodes had it. All but the first two are "no longer used" and fixed. */
const fees = (createAsset: string, createSubnet: string, transformSubnet: string): TxFees => ({
  txFee: '1000000',
  createAssetTxFee: createAsset,
  createSubnetTxFee: createSubnet,
  transformSubnetTxFee: transformSubnet,
  createBlockchainTxFee: createSubnet,
  addPrimaryNetworkValidatorFee: '0',
  addPrimaryNetworkDelegatorFee: '0',
  addSubnetValidatorFee: '1000000',
  addSubnetDelegatorFee: '1000000',
})
const MAINNET = fees('10000000', '1000000000', '10000000000')
const FUJI = fees('10000000', '100000000', '1000000000')
const OTHERS = fees('1000000', '100000000', '100000000')

const genesisFees = (networkId: string): TxFees => (networkId === '1' ? MAINNET : networkId === '5' ? FUJI : OTHERS)

/** The two X-chain fees in use; empty when the node no longer reports them. */
async function feesInUse(ask: Ask): Promise<TxFees> {
  try {
    const answer = recordIn(await ask('avm.getTxFee', {}, 'X'), 'avm.getTxFee')
    return { txFee: textIn(answer, 'txFee'), createAssetTxFee: textIn(answer, 'createAssetTxFee') }
  } catch (error) {
    if (lacksMethod(error)) return {}
    throw error
  }
}

/**
 * `info.getTxFee` from what newer nodes answer: the network's id, which determines the fixed fees, and the X-chain's
 * own.
 * @throws errors of `ask`; BadAnswerError.
 */
export async function composeTxFees(ask: Ask): Promise<TxFees> {
  const [network, inUse] = await Promise.all([ask('info.getNetworkID', {}, 'info'), feesInUse(ask)])
  return { ...genesisFees(textIn(recordIn(network, 'info.getNetworkID'), 'networkID')), ...inUse }
}
