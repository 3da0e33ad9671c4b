import { expect, it } from 'vitest'
import type { IndexedNetwork } from '../../src/store/index.ts'
import { describeStores } from '../support/store/store.ts'
import { block, id, range, registerAll } from './write/range-samples.ts'

const NETWORK: IndexedNetwork = { networkId: 12_345, xChainId: id(0xe1), cChainId: id(0xe2), avaxAssetId: id(0xa1) }

describeStores('the network of an index', (open) => {
  it('is kept once, and has to be the same from then on', async () => {
    const { reader, writer } = await open()
    await expect(writer.keepNetwork('testnet', NETWORK)).rejects.toThrow('no stream of the network testnet')
    await registerAll({ writer } as Parameters<typeof registerAll>[0])
    expect(await reader.networks.find('testnet')).toBeUndefined()
    await Promise.all([1, 2, 3].map(() => writer.keepNetwork('testnet', NETWORK)))
    expect(await reader.networks.find('testnet')).toEqual(NETWORK)
    expect(await reader.networks.find('mainnet')).toBeUndefined()
    const others = [{ networkId: 5 }, { xChainId: id(1) }, { cChainId: id(1) }, { avaxAssetId: id(1) }]
    for (const other of others)
      await expect(writer.keepNetwork('testnet', { ...NETWORK, ...other })).rejects.toThrow('of another network')
    expect(await reader.networks.find('testnet')).toEqual(NETWORK)
  })

  it('is not taken from the nodes of another one for an index of before', async () => {
    const { reader, writer } = await open()
    await registerAll({ writer } as Parameters<typeof registerAll>[0])
    const made = (chain: string) => ({ id: chain, subnetId: id(0), name: 'a chain', vmId: id(9), height: 0n })
    const chains = [made(NETWORK.xChainId), made(NETWORK.cChainId)]
    await writer.commitRange('testnet:P', { primary: { blocks: [block(0)], staking: { chains } } }, range(0))
    const other = { ...NETWORK, cChainId: id(0xf2) }
    await expect(writer.keepNetwork('testnet', other)).rejects.toThrow(`not ${id(0xf2)}`)
    expect(await reader.networks.find('testnet')).toBeUndefined()
    await writer.keepNetwork('testnet', NETWORK)
    expect(await reader.networks.find('testnet')).toEqual(NETWORK)
  })
})
