import { readFileSync } from 'node:fs'
import * as avalanchejs from '@avalabs/avalanchejs'
import { createAvalancheClient } from '@avalanche-sdk/client'
import { avalancheFuji } from '@avalanche-sdk/client/chains'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RecordedStage, startStage } from './recorded-node.ts'

interface Signed {
  toBytes(): Uint8Array
}
interface Unsigned {
  getSignedTx(): Signed
}
interface ChainApi {
  getUTXOs(input: { addresses: string[] }): Promise<{ utxos: unknown[] }>
  issueSignedTx(tx: Signed): Promise<{ txID: string }>
}
interface Facts {
  avaxAssetID: string
}
interface Avalanchejs {
  addTxSignatures(input: { unsignedTx: Unsigned; privateKeys: Uint8Array[] }): Promise<void>
  avm: {
    AVMApi: new (url: string) => ChainApi
    newBaseTx(context: Facts, from: Uint8Array[], utxos: unknown[], outputs: unknown[]): Unsigned
  }
  Context: { getContextFromURI(url: string): Promise<Facts> }
  pvm: {
    PVMApi: new (url: string) => ChainApi & { getFeeState(): Promise<object> }
    newBaseTx(input: object, context: Facts): Unsigned
  }
  TransferableOutput: { fromNative(asset: string, amount: bigint, to: Uint8Array[]): unknown }
  utils: {
    addChecksum(bytes: Uint8Array): Uint8Array
    bech32ToBytes(address: string): Uint8Array
    bufferToHex(bytes: Uint8Array): string
    hexToBuffer(text: string): Uint8Array
  }
}

/** The library's own types do not resolve under nodenext, so the few parts that tests use are declared here. */
const { addTxSignatures, avm, Context, pvm, TransferableOutput, utils } = avalanchejs as unknown as Avalanchejs

interface Network {
  chains: { X: string; C: string }
  avaxAssetID: string
  keys: Record<string, { privateKey: string; address: string; evmAddress: string }>
}
const fixture = <T>(name: string): T =>
  JSON.parse(readFileSync(new URL(`../../fixtures/${name}`, import.meta.url), 'utf8')) as T
const network = fixture<Network>('network/network.json')
const l1 = fixture<{ blockchainID: string; chainId: number }>('l1/l1.json')

let stage: RecordedStage
beforeAll(async () => {
  stage = await startStage([])
})
afterAll(() => stage.close())

const key = (index: number) => {
  const found = network.keys[String(index)]
  if (!found) throw new Error(`no key ${index}`)
  return found
}

describe('@avalabs/avalanchejs, unmodified', () => {
  const privateKey = utils.hexToBuffer(key(0).privateKey)
  const sender = utils.bech32ToBytes(`P-${key(0).address}`)
  const receiver = utils.bech32ToBytes(`P-${key(1).address}`)

  it('knows the network from its endpoint', async () => {
    const context = await Context.getContextFromURI(stage.url)
    expect(context).toMatchObject({
      networkID: 5,
      xBlockchainID: network.chains.X,
      cBlockchainID: network.chains.C,
      avaxAssetID: network.avaxAssetID,
      hrp: 'fuji',
    })
  })

  it('builds, signs and issues a transfer on P, once', async () => {
    const api = new pvm.PVMApi(stage.url)
    const context = await Context.getContextFromURI(stage.url)
    const { utxos } = await api.getUTXOs({ addresses: [`P-${key(0).address}`] })
    const tx = pvm.newBaseTx(
      {
        feeState: await api.getFeeState(),
        fromAddressesBytes: [sender],
        outputs: [TransferableOutput.fromNative(context.avaxAssetID, 1_000_000n, [receiver])],
        utxos,
      },
      context,
    )
    await addTxSignatures({ unsignedTx: tx, privateKeys: [privateKey] })
    const before = stage.node.counters.issued.length
    const { txID } = await api.issueSignedTx(tx.getSignedTx())
    const issued = stage.node.counters.issued.slice(before)
    expect(issued.map(({ chain }) => chain)).toEqual(['P'])
    expect(issued[0]?.bytes).toBe(utils.bufferToHex(utils.addChecksum(tx.getSignedTx().toBytes())).slice(0, -8))
    expect(txID).toMatch(/^[1-9A-HJ-NP-Za-km-z]{40,60}$/)
  })

  it('builds, signs and issues a transfer on X, once', async () => {
    const api = new avm.AVMApi(stage.url)
    const context = await Context.getContextFromURI(stage.url)
    const { utxos } = await api.getUTXOs({ addresses: [`X-${key(0).address}`] })
    const outputs = [TransferableOutput.fromNative(context.avaxAssetID, 1_000_000n, [receiver])]
    const tx = avm.newBaseTx(context, [sender], utxos, outputs)
    await addTxSignatures({ unsignedTx: tx, privateKeys: [privateKey] })
    const before = stage.node.counters.issued.length
    await api.issueSignedTx(tx.getSignedTx())
    expect(stage.node.counters.issued.slice(before).map(({ chain }) => chain)).toEqual(['X'])
  })
})

describe('@avalanche-sdk/client, unmodified', () => {
  const client = (url = stage.url) =>
    createAvalancheClient({ chain: avalancheFuji, transport: { type: 'http', url: `${url}/ext/bc/C/rpc` } })

  it('reads P, X and C', async () => {
    const { pChain, xChain, cChain, ...evm } = client()
    const node = client(stage.node.url)
    expect(await pChain.getHeight()).toMatchObject({ height: String(stage.node.last.P) })
    const owned = await pChain.getBalance({ addresses: [`P-${key(0).address}`] })
    expect(owned).toEqual(await node.pChain.getBalance({ addresses: [`P-${key(0).address}`] }))
    expect(owned.balance).toBeGreaterThan(0n)
    expect((await pChain.getUTXOs({ addresses: [`P-${key(0).address}`] })).utxos.length).toBeGreaterThan(0)
    expect((await pChain.getFeeState()).price).toBe((await node.pChain.getFeeState()).price)
    expect(await xChain.getHeight()).toMatchObject({ height: String(stage.node.last.X) })
    expect((await xChain.getUTXOs({ addresses: [`X-${key(0).address}`] })).utxos.length).toBeGreaterThan(0)
    const shared = await cChain.getUTXOs({ addresses: [`C-${key(0).address}`], sourceChain: 'P' })
    expect(shared.utxos).toHaveLength(Number(shared.numFetched))
    expect(await evm.getBlockNumber()).toBe(BigInt(stage.node.last.C))
    const address = key(1).evmAddress as `0x${string}`
    expect(await evm.getBalance({ address })).toBe(await node.getBalance({ address }))
    expect(await evm.baseFee()).toBe(await node.baseFee())
    expect(await evm.getChainConfig()).toMatchObject({ chainId: 43_113 })
  })

  it('reads info, health and the index', async () => {
    const { info, health, indexBlock } = client()
    expect(await info.getNetworkName()).toEqual({ networkName: 'fuji' })
    expect(await info.getBlockchainID({ alias: 'X' })).toEqual({ blockchainID: network.chains.X })
    expect((await info.getNodeVersion()).version).toMatch(/^avalanchego\//)
    expect((await health.liveness()).healthy).toBe(true)
    const last = await indexBlock.pChain.getLastAccepted({ encoding: 'hex' })
    expect(Number(last.index)).toBe(Number(stage.node.last.P) - 1)
    const again = await indexBlock.pChain.getContainerByIndex({ index: Number(last.index), encoding: 'hex' })
    expect(again.id).toBe(last.id)
  })

  it('reads an L1', async () => {
    const chain = { ...avalancheFuji, id: l1.chainId }
    const client = (base: string) => {
      const url = `${base}/ext/bc/${l1.blockchainID}/rpc`
      return createAvalancheClient({ chain, transport: { type: 'http', url } })
    }
    const { feeConfig, getActiveRulesAt, getChainConfig } = client(stage.url)
    expect(await feeConfig({ blk: 'latest' })).toMatchObject({ lastChangedAt: 0, feeConfig: { gasLimit: 15_000_000 } })
    expect(await getChainConfig()).toMatchObject({ chainId: l1.chainId })
    // What the node refuses is refused in its words.
    const details = (error: { details?: string }) => error.details
    const refused = await getActiveRulesAt({ timestamp: '' }).catch(details)
    expect(refused).toBeTypeOf('string')
    expect(refused).toBe(await client(stage.node.url).getActiveRulesAt({ timestamp: '' }).catch(details))
  })
})
