import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { AvaCloudSDK } from '@avalabs/avacloud-sdk'
import { ApiError, Glacier } from '@avalabs/glacier-sdk'
import { Avalanche } from '@avalanche-sdk/chainkit'
import { Glacier as NextGlacier } from 'glacier-sdk-next'
import { expect, it } from 'vitest'
import { C_CHAIN, type IndexedServer } from './indexed-server.ts'
import {
  addresses,
  CHAINS,
  evmAddress,
  NFT,
  NFTS,
  NODE,
  namesOf,
  TOKEN,
  TOTAL,
  tokenOf,
  turned,
  UNUSED,
  utxoId,
} from './sdk-pages.ts'

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

async function primaryWithNext(sdk: NextGlacier, blockchainId: (typeof CHAINS)[number]): Promise<void> {
  const at = { blockchainId: blockchainId as never, network: 'fuji' as never }
  const { balances } = await sdk.primaryNetworkBalances.getBalancesByAddresses({ ...at, addresses })
  expect(balances).toHaveProperty('atomicMemoryUnlocked')
  const service = sdk.primaryNetworkUtxOs
  const page = (pageSize: number, pageToken?: string) => ({
    ...at,
    includeSpent: true,
    pageSize,
    ...tokenOf(pageToken),
  })
  const one = await turned(async (pageToken) => {
    const { utxos, nextPageToken } = await service.getUtxosByAddresses({ ...page(100, pageToken), addresses })
    return { items: utxos as { utxoId: string }[], nextPageToken }
  }, utxoId)
  expect(one).toHaveLength(TOTAL.utxos[blockchainId] ?? 0)
  const requestBody = { addresses }
  const two = await turned(async (pageToken) => {
    const { utxos, nextPageToken } = await service.getUtxosByAddressesV2({ ...page(1024, pageToken), requestBody })
    return { items: utxos as { utxoId: string }[], nextPageToken }
  }, utxoId)
  expect(two).toEqual(one)
  const last = await service.getLastActivityTimestampByAddresses({ ...at, addresses })
  expect(last.chainName).toBe(blockchainId)
  expect(await service.getLastActivityTimestampByAddressesV2({ ...at, requestBody })).toEqual(last)
  expect((await sdk.primaryNetworkBlocks.getBlockById({ ...at, blockId: '5' })).blockNumber).toBe('5')
  const proposed = await turned(
    async (pageToken) => {
      const query = { ...at, nodeId: NODE, pageSize: 20, ...tokenOf(pageToken) }
      const list = await sdk.primaryNetworkBlocks.listPrimaryNetworkBlocksByNodeId(query)
      return { ...list, items: list.blocks }
    },
    ({ blockHash }) => blockHash,
  )
  expect(proposed).toHaveLength(TOTAL.proposed[blockchainId] ?? 0)
}

export function checkSdks(server: () => IndexedServer): void {
  it('chainkit calls all 15 operations', async () => {
    const { data } = new Avalanche({ chainId: C_CHAIN, network: 'fuji', enableTelemetry: false })
    const o = perCall(server().url)
    expect(await data.healthCheck(o)).toMatchObject({ status: 'ok' })
    await data.liveCheck(o)
    const chains = await data.evm.address.chains.list({ address: evmAddress }, o)
    expect(chains.indexedChains?.map(({ chainId }) => chainId)).toContain(C_CHAIN)
    const latest = { pageSize: 100 }
    const transactions = await data.evm.transactions.listLatestAllChains(latest, o)
    const hashes = await namesOf(transactions, ({ result }) => result.transactions.map(({ txHash }) => txHash))
    expect(hashes).toHaveLength(TOTAL.evmTransactions)
    const heads = await data.evm.blocks.listLatestAllChains(latest, o)
    const blockHashes = await namesOf(heads, ({ result }) => result.blocks.map(({ blockHash }) => blockHash))
    expect(blockHashes).toHaveLength(TOTAL.blocks)
    const tokens = await data.nfts.list({ address: NFT, pageSize: 3 }, o)
    expect(await namesOf(tokens, ({ result }) => result.tokens.map(({ tokenId }) => tokenId))).toHaveLength(NFTS)
    expect(await data.nfts.get({ address: NFT, tokenId: TOKEN }, o)).toMatchObject({
      tokenId: TOKEN,
      ercType: 'ERC-721',
    })
    await data.nfts.reindex({ address: NFT, tokenId: TOKEN }, o)
    const { balances, utxos, blocks } = data.primaryNetwork
    for (const blockchainId of CHAINS) {
      const body = { addresses }
      await balances.listByAddresses({ blockchainId, addresses }, o)
      const v1 = await utxos.listByAddresses({ blockchainId, addresses, includeSpent: true, pageSize: 100 }, o)
      const one = await namesOf(v1, ({ result }) => result.utxos.map(utxoId))
      expect(one).toHaveLength(TOTAL.utxos[blockchainId] ?? 0)
      const query = { blockchainId, pageSize: 1024, includeSpent: true, primaryNetworkAddressesBodyDto: body }
      const v2 = await utxos.listByAddressesV2(query, o)
      expect(await namesOf(v2, ({ result }) => result.utxos.map(utxoId))).toEqual(one)
      const last = await utxos.getLastActivityTimestampByAddresses({ blockchainId, addresses }, o)
      expect(last.chainName).toBe(blockchainId)
      expect(
        await utxos.getLastActivityTimestampByAddressesV2({ blockchainId, primaryNetworkAddressesBodyDto: body }, o),
      ).toEqual(last)
      expect((await blocks.get({ blockchainId, blockId: '5' }, o)).blockNumber).toBe('5')
      const made = await blocks.listByNodeId({ blockchainId, nodeId: NODE, pageSize: 20 }, o)
      const proposed = await namesOf(made, ({ result }) => result.blocks.map(({ blockHash }) => blockHash))
      expect(proposed).toHaveLength(TOTAL.proposed[blockchainId] ?? 0)
    }
    const p = await balances.listByAddresses({ blockchainId: 'p-chain', addresses }, o)
    expect(p.balances).toHaveProperty('unlockedStaked')
  })

  it("chainkit runs the README's lines as they stand there", async () => {
    const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8')
    const lines = /```js\n([\s\S]*?)```/.exec(readme)?.[1] ?? ''
    expect(lines).toContain('http://127.0.0.1:8650')
    const code = lines.replace('http://127.0.0.1:8650', server().url)
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code])
    const { status, body } = await server().get(
      '/v1/networks/fuji/blockchains/p-chain/utxos?addresses=fuji1m4hzf29faglptgsn0ha30jvyn8jpuehkr3drn7&pageSize=100',
    )
    expect(status).toBe(200)
    const utxos = body.utxos as { utxoId: string; amount: string }[]
    expect(utxos.length).toBeGreaterThan(5)
    expect(stdout.trim().split('\n')).toEqual(utxos.map(({ utxoId, amount }) => `${utxoId} ${amount}`))
  })

  it('avacloud-sdk calls the operations it has', async () => {
    const { data } = new AvaCloudSDK({ serverURL: server().url, chainId: C_CHAIN, network: 'fuji' })
    const o = perCall(server().url)
    await data.healthCheck(o)
    await data.nfts.reindex({ address: NFT, tokenId: '4' }, o)
    await data.evm.address.chains.list({ address: evmAddress }, o)
    const transactions = await data.evm.transactions.listLatestAllChains({ pageSize: 100 }, o)
    const hashes = await namesOf(transactions, ({ result }) => result.transactions.map(({ txHash }) => txHash))
    expect(hashes).toHaveLength(TOTAL.evmTransactions)
    const heads = await data.evm.blocks.listLatestAllChains({ pageSize: 100 }, o)
    const blockHashes = await namesOf(heads, ({ result }) => result.blocks.map(({ blockHash }) => blockHash))
    expect(blockHashes).toHaveLength(TOTAL.blocks)
    const tokens = await data.nfts.list({ address: NFT, pageSize: 3 }, o)
    expect(await namesOf(tokens, ({ result }) => result.tokens.map(({ tokenId }) => tokenId))).toHaveLength(NFTS)
    expect(await data.nfts.get({ address: NFT, tokenId: TOKEN }, o)).toMatchObject({ tokenId: TOKEN })
    for (const blockchainId of CHAINS) {
      await data.primaryNetwork.balances.listByAddresses({ blockchainId, addresses }, o)
      const { utxos, blocks } = data.primaryNetwork
      const owned = await utxos.listByAddresses({ blockchainId, addresses, includeSpent: true, pageSize: 100 }, o)
      const ids = await namesOf(owned, ({ result }) => result.utxos.map(utxoId))
      expect(ids).toHaveLength(TOTAL.utxos[blockchainId] ?? 0)
      expect((await blocks.get({ blockchainId, blockId: '5' }, o)).blockNumber).toBe('5')
      const made = await blocks.listByNodeId({ blockchainId, nodeId: NODE, pageSize: 20 }, o)
      const proposed = await namesOf(made, ({ result }) => result.blocks.map(({ blockHash }) => blockHash))
      expect(proposed).toHaveLength(TOTAL.proposed[blockchainId] ?? 0)
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

  it('the next glacier-sdk calls all 15 operations', async () => {
    const sdk = new NextGlacier({ BASE: server().url })
    expect(await sdk.healthCheck.dataHealthCheck()).toMatchObject({ status: 'ok' })
    expect(await sdk.healthCheck.liveCheck()).toMatchObject({ status: 'ok' })
    const { indexedChains } = await sdk.evmChains.listAddressChains({ address: evmAddress })
    expect(indexedChains?.map(({ chainId }) => chainId)).toContain(C_CHAIN)
    const latest = (pageToken?: string) => ({ pageSize: 100, ...tokenOf(pageToken) })
    const hashes = await turned(
      async (pageToken) => {
        const page = await sdk.evmTransactions.listLatestTransactionsAllChains(latest(pageToken))
        return { ...page, items: page.transactions }
      },
      ({ txHash }) => txHash,
    )
    expect(hashes).toHaveLength(TOTAL.evmTransactions)
    const blockHashes = await turned(
      async (pageToken) => {
        const page = await sdk.evmBlocks.listLatestBlocksAllChains(latest(pageToken))
        return { ...page, items: page.blocks }
      },
      ({ blockHash }) => blockHash,
    )
    expect(blockHashes).toHaveLength(TOTAL.blocks)
    const collection = { chainId: C_CHAIN, address: NFT }
    const tokens = await turned(
      async (pageToken) => {
        const page = await sdk.nfTs.listTokens({ ...collection, pageSize: 3, ...tokenOf(pageToken) })
        return { ...page, items: page.tokens }
      },
      ({ tokenId }) => tokenId,
    )
    expect(tokens).toHaveLength(NFTS)
    expect(await sdk.nfTs.getTokenDetails({ ...collection, tokenId: TOKEN })).toMatchObject({ tokenId: TOKEN })
    await sdk.nfTs.reindexNft({ ...collection, tokenId: '5' })
    for (const blockchainId of CHAINS) await primaryWithNext(sdk, blockchainId)
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
