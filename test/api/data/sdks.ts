import { AvaCloudSDK } from '@avalabs/avacloud-sdk'
import { ApiError, Glacier } from '@avalabs/glacier-sdk'
import { Avalanche } from '@avalanche-sdk/chainkit'
import { expect, it } from 'vitest'
import { formatBech32Address } from '../../../src/lib/bech32-address.ts'
import { recordedJson, recordedLines } from '../../support/recordings.ts'
import { C_CHAIN, type IndexedServer } from './indexed-server.ts'

/** An ERC-721 of the recorded C-chain with ids from 1. */
const NFT = '0x50594eb8a249A1Fcbc44604d4c142DC413eC3385'
const TOKEN = '2'
const NODE = 'NodeID-P7oB2McjBGgW2NXXWVYjV8JEDFoW9xDE5'
const UNUSED = formatBech32Address(new Uint8Array(20).fill(0x77), 'fuji')
const CHAINS = ['p-chain', 'x-chain', 'c-chain'] as const

/** Accounts that sent something on the recorded C-chain. */
const sent = new Set(
  recordedLines<{ block: { transactions: { from: string }[] } }>('c-blocks').flatMap(({ block }) =>
    block.transactions.map(({ from }) => from.toLowerCase()),
  ),
)
const { keys } = recordedJson<{ keys: Record<string, { address: string; evmAddress: string }> }>('network')
const addresses = Object.values(keys)
  .map(({ address }) => address.replace(/^[PXC]-/, ''))
  .join(',')
const [{ evmAddress = '' } = {}] = Object.values(keys).filter(({ evmAddress }) => sent.has(evmAddress.toLowerCase()))

const perCall = (serverURL: string) => ({ serverURL, retries: { strategy: 'none' as const } })

/** What an SDK's call fails with: its class and what it says of the status. */
const failure = async (call: Promise<unknown>): Promise<{ name: string; status: unknown }> => {
  const error = await call.then(
    () => undefined,
    (cause: unknown) => cause,
  )
  if (!(error instanceof Error)) throw new Error('the call did not fail')
  return { name: error.name, status: 'statusCode' in error ? error.statusCode : 'status' in error && error.status }
}

/** Reads pages to the end, and says how many there were. */
async function pagesOf(pages: AsyncIterable<unknown>): Promise<number> {
  let count = 0
  for await (const _ of pages) count += 1
  return count
}

export function checkSdks(server: () => IndexedServer): void {
  it('chainkit calls all 15 operations', async () => {
    const { data } = new Avalanche({ chainId: C_CHAIN, network: 'fuji', enableTelemetry: false })
    const o = perCall(server().url)
    expect(await data.healthCheck(o)).toMatchObject({ status: 'ok' })
    await data.liveCheck(o)
    const chains = await data.evm.address.chains.list({ address: evmAddress }, o)
    expect(chains.indexedChains?.map(({ chainId }) => chainId)).toContain(C_CHAIN)
    expect((await data.evm.transactions.listLatestAllChains({ pageSize: 100 }, o)).result.transactions).toHaveLength(
      100,
    )
    expect(await pagesOf(await data.evm.blocks.listLatestAllChains({ pageSize: 100 }, o))).toBeGreaterThan(7)
    expect(await pagesOf(await data.nfts.list({ address: NFT, pageSize: 10 }, o))).toBeGreaterThan(0)
    expect(await data.nfts.get({ address: NFT, tokenId: TOKEN }, o)).toMatchObject({
      tokenId: TOKEN,
      ercType: 'ERC-721',
    })
    await data.nfts.reindex({ address: NFT, tokenId: TOKEN }, o)
    const { balances, utxos, blocks } = data.primaryNetwork
    for (const blockchainId of CHAINS) {
      const body = { addresses }
      await balances.listByAddresses({ blockchainId, addresses }, o)
      expect(
        await pagesOf(await utxos.listByAddresses({ blockchainId, addresses, includeSpent: true, pageSize: 100 }, o)),
      ).toBeGreaterThan(0)
      const v2 = { blockchainId, pageSize: 1024, includeSpent: true, primaryNetworkAddressesBodyDto: body }
      expect(await pagesOf(await utxos.listByAddressesV2(v2, o))).toBeGreaterThan(0)
      const last = await utxos.getLastActivityTimestampByAddresses({ blockchainId, addresses }, o)
      expect(last.chainName).toBe(blockchainId)
      expect(
        await utxos.getLastActivityTimestampByAddressesV2({ blockchainId, primaryNetworkAddressesBodyDto: body }, o),
      ).toEqual(last)
      expect((await blocks.get({ blockchainId, blockId: '5' }, o)).blockNumber).toBe('5')
      expect(
        await pagesOf(await blocks.listByNodeId({ blockchainId, nodeId: NODE, pageSize: 100 }, o)),
      ).toBeGreaterThan(0)
    }
    const p = await balances.listByAddresses({ blockchainId: 'p-chain', addresses }, o)
    expect(p.balances).toHaveProperty('unlockedStaked')
  })

  it('avacloud-sdk calls the operations it has', async () => {
    const { data } = new AvaCloudSDK({ serverURL: server().url, chainId: C_CHAIN, network: 'fuji' })
    const o = perCall(server().url)
    await data.healthCheck(o)
    await data.nfts.reindex({ address: NFT, tokenId: '4' }, o)
    await data.evm.address.chains.list({ address: evmAddress }, o)
    expect((await data.evm.transactions.listLatestAllChains({ pageSize: 100 }, o)).result.transactions).toHaveLength(
      100,
    )
    expect((await data.evm.blocks.listLatestAllChains({ pageSize: 100 }, o)).result.blocks).toHaveLength(100)
    expect(await pagesOf(await data.nfts.list({ address: NFT, pageSize: 100 }, o))).toBeGreaterThan(0)
    expect(await data.nfts.get({ address: NFT, tokenId: TOKEN }, o)).toMatchObject({ tokenId: TOKEN })
    for (const blockchainId of CHAINS) {
      await data.primaryNetwork.balances.listByAddresses({ blockchainId, addresses }, o)
      expect(
        await pagesOf(await data.primaryNetwork.utxos.listByAddresses({ blockchainId, addresses, pageSize: 100 }, o)),
      ).toBeGreaterThan(0)
      expect((await data.primaryNetwork.blocks.get({ blockchainId, blockId: '5' }, o)).blockNumber).toBe('5')
      expect(
        await pagesOf(await data.primaryNetwork.blocks.listByNodeId({ blockchainId, nodeId: NODE, pageSize: 100 }, o)),
      ).toBeGreaterThan(0)
    }
  })

  it('glacier-sdk calls the eleven operations it has', async () => {
    const sdk = new Glacier({ BASE: server().url })
    expect(await sdk.healthCheck.dataHealthCheck()).toMatchObject({ status: 'ok' })
    await sdk.evmChains.listAddressChains({ address: evmAddress })
    expect((await sdk.evmBlocks.listLatestBlocksAllChains({ pageSize: 3 })).blocks).toHaveLength(3)
    const transactions = async (pageToken?: string) =>
      sdk.evmTransactions.listLatestTransactionsAllChains({ pageSize: 100, ...(pageToken ? { pageToken } : {}) })
    const first = await transactions()
    const second = await transactions(first.nextPageToken)
    const hashes = [...first.transactions, ...second.transactions].map(({ txHash }) => txHash)
    expect(new Set(hashes).size).toBe(200)
    expect(await sdk.nfTs.getTokenDetails({ chainId: C_CHAIN, address: NFT, tokenId: TOKEN })).toMatchObject({
      tokenId: TOKEN,
    })
    await sdk.nfTs.reindexNft({ chainId: C_CHAIN, address: NFT, tokenId: '3' })
    expect((await sdk.nfTs.listTokens({ chainId: C_CHAIN, address: NFT })).tokens).toHaveLength(10)
    for (const blockchainId of CHAINS) {
      const at = { blockchainId: blockchainId as never, network: 'fuji' as never }
      await sdk.primaryNetworkBalances.getBalancesByAddresses({ ...at, addresses })
      const { utxos } = await sdk.primaryNetworkUtxOs.getUtxosByAddresses({ ...at, addresses, pageSize: 100 })
      expect(utxos.length).toBeGreaterThan(0)
      expect((await sdk.primaryNetworkBlocks.getBlockById({ ...at, blockId: '5' })).blockNumber).toBe('5')
      const list = await sdk.primaryNetworkBlocks.listPrimaryNetworkBlocksByNodeId({ ...at, nodeId: NODE })
      expect(list.blocks).toHaveLength(10)
    }
  })

  it('give their callers typed errors: not found, and not indexed', async () => {
    const o = perCall(server().url)
    const { data } = new Avalanche({ chainId: C_CHAIN, network: 'fuji', enableTelemetry: false })
    const unknown = { blockchainId: 'p-chain', addresses: UNUSED } as const
    expect(await failure(data.primaryNetwork.utxos.getLastActivityTimestampByAddresses(unknown, o))).toEqual({
      name: 'NotFoundError',
      status: 404,
    })
    expect(await failure(data.nfts.get({ address: NFT, tokenId: '999999' }, o))).toEqual({
      name: 'NotFoundError',
      status: 404,
    })
    expect(await failure(data.nfts.reindex({ address: NFT, tokenId: TOKEN }, o))).toEqual({
      name: 'TooManyRequestsError',
      status: 429,
    })
    const cloud = new AvaCloudSDK({ serverURL: server().url, chainId: C_CHAIN, network: 'fuji' })
    expect(await failure(cloud.data.nfts.get({ address: NFT, tokenId: '999999' }, o))).toMatchObject({
      name: 'NotFound',
    })
    const glacier = new Glacier({ BASE: server().url })
    const missing = glacier.primaryNetworkBlocks.getBlockById({
      blockchainId: 'p-chain' as never,
      network: 'fuji' as never,
      blockId: '99999',
    })
    await expect(missing).rejects.toBeInstanceOf(ApiError)
    await expect(missing).rejects.toMatchObject({ status: 404, body: { statusCode: 404 } })
  })
}
