import { describe, expect, it } from 'vitest'
import { BadAnswerError } from '../../../src/errors.ts'
import { type Ask, composeTxFees } from '../../../src/services/node-fallbacks/index.ts'

/** A node of a network; without `own` its X-chain does not tell fees any more. */
const nodeOf =
  (networkID: string, own?: object): Ask =>
  async (method) => {
    if (method === 'info.getNetworkID') return JSON.stringify({ networkID })
    if (own === undefined) throw new Error(`rpc: can't find method "avm.GetTxFee"`)
    return JSON.stringify(own)
  }

describe('info.getTxFee, composed', () => {
  // Values of the public networks and of local ones.
  it.each([
    ['1', '10000000', '1000000000', '10000000000'],
    ['5', '10000000', '100000000', '1000000000'],
    ['12345', '1000000', '100000000', '100000000'],
  ])('of network %s', async (networkId, createAsset, createSubnet, transform) => {
    expect(JSON.stringify(await composeTxFees(nodeOf(networkId)))).toBe(
      `{"txFee":"1000000","createAssetTxFee":"${createAsset}","createSubnetTxFee":"${createSubnet}",` +
        `"transformSubnetTxFee":"${transform}","createBlockchainTxFee":"${createSubnet}",` +
        '"addPrimaryNetworkValidatorFee":"0","addPrimaryNetworkDelegatorFee":"0",' +
        '"addSubnetValidatorFee":"1000000","addSubnetDelegatorFee":"1000000"}',
    )
  })

  it('believes the X-chain about its own fees', async () => {
    const fees = await composeTxFees(nodeOf('5', { txFee: '7', createAssetTxFee: '8' }))
    expect(Object.keys(fees).slice(0, 3)).toEqual(['txFee', 'createAssetTxFee', 'createSubnetTxFee'])
    expect(fees).toMatchObject({ txFee: '7', createAssetTxFee: '8', createSubnetTxFee: '100000000' })
  })

  it('does not make up what a node failed to tell', async () => {
    await expect(composeTxFees(nodeOf('5', { txFee: 7 }))).rejects.toThrow(BadAnswerError)
    const failing: Ask = (method) =>
      method === 'avm.getTxFee' ? Promise.reject(new Error('down')) : nodeOf('5')(method, {})
    await expect(composeTxFees(failing)).rejects.toThrow('down')
  })
})
