import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Avalanche } from '@avalanche-sdk/chainkit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Config, Partially } from '../../../../src/config/index.ts'
import { type Anvil, startAnvil } from '../../../support/evm/anvil.ts'
import { callData } from '../../../support/evm/contracts.ts'
import { createStage, type RunningServer } from '../../../support/server/stage.ts'

const CHAIN = '7001'
const BLOCKCHAIN_ID = '2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM'
/** Where OpenZeppelin's ERC-1155 keeps its URI. */
const URI_SLOT = `0x${'2'.padStart(64, '0')}`

const stage = createStage()
const folder = stage.folder()
let anvil: Anvil
let host: Server
let inner: Server
let server: RunningServer
const asked: string[] = []
let innerAsked = 0
const contracts = { enumerable: '', plain: '', multi: '' }

const portOf = (one: Server): number => (one.address() as AddressInfo).port
const listen = async (one: Server): Promise<Server> => {
  await new Promise<void>((resolve) => one.listen(0, '127.0.0.1', resolve))
  return one
}
const at = (path: string): string => `http://127.0.0.1:${portOf(host)}${path}`

const settings = (data: Partially<Config['data']> = {}): Partially<Config> =>
  ({
    dataDir: folder,
    data: {
      ...data,
      nftMetadata: {
        ipfsGateway: at('/ipfs/'),
        arweaveGateway: at('/ar/'),
        allowedAddresses: [`127.0.0.1:${portOf(host)}`],
      },
    },
    index: { enabled: true, streams: [`eip155:${CHAIN}`] },
    chains: {
      evm: {
        [CHAIN]: {
          name: 'NFT chain',
          testnet: true,
          blockchainId: BLOCKCHAIN_ID,
          upstreams: [{ url: anvil.url }],
          native: { name: 'Coin', symbol: 'COIN', decimals: 18 },
          blockTimeMs: 1_000,
        },
      },
    },
  }) as Partially<Config>

const place = (contract: string, rest = '', chain = CHAIN) =>
  `${server.url}/v1/chains/${chain}/nfts/collections/${contract}/tokens${rest}`
// biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
const get = async (url: string): Promise<any> => (await fetch(url)).json()
const detail = (contract: string, id: number) => get(place(contract, `/${id}`))
const reindex = (contract: string, id: number) => fetch(place(contract, `/${id}:reindex`), { method: 'POST' })
const fetched = (contract: string, id: number) =>
  expect
    .poll(async () => (await detail(contract, id)).metadata?.indexStatus, { interval: 200 })
    .not.toMatch(/^(UNINDEXED)?$/)

beforeAll(async () => {
  host = await listen(
    createServer((request, response) => {
      asked.push(request.url ?? '')
      if (request.url === '/away')
        return response.writeHead(302, { location: `http://127.0.0.1:${portOf(inner)}/` }).end()
      response.setHeader('content-type', 'application/json')
      return response.end(
        JSON.stringify({
          name: `of ${request.url}`,
          image: 'ipfs://Qm/1.png',
          attributes: [{ trait_type: 'a', value: 1 }],
        }),
      )
    }),
  )
  inner = await listen(
    createServer((_request, response) => {
      innerAsked += 1
      response.end('{"name":"secret"}')
    }),
  )
  anvil = await startAnvil({ chainId: Number(CHAIN) })
  const [holder = ''] = anvil.accounts
  contracts.enumerable = await anvil.deploy('EnumNft')
  contracts.plain = await anvil.deploy('PlainNft', ['Plain', 'PLN', 'ar://transaction/'])
  contracts.multi = await anvil.deploy('Multi1155')
  const short = Buffer.from(at('/{id}'))
  const word = Buffer.concat([short, Buffer.alloc(31 - short.length), Buffer.from([short.length * 2])])
  await anvil.rpc('anvil_setStorageAt', [contracts.multi, URI_SLOT, `0x${word.toString('hex')}`])
  const uris = [
    at('/1.json'),
    'ipfs://QmFolder/2',
    'data:application/json;base64,eyJuYW1lIjoiaW5saW5lIn0=',
    'ftp://127.0.0.1/4',
    `http://127.0.0.1:${portOf(inner)}/5`,
    'http://169.254.169.254/latest/meta-data/',
    `http://[::ffff:127.0.0.1]:${portOf(inner)}/7`,
    at('/away'),
  ]
  for (const [index, uri] of uris.entries())
    await anvil.send({ to: contracts.enumerable, data: callData('EnumNft', 'mint', [holder, index + 1, uri]) })
  await anvil.send({ to: contracts.plain, data: callData('PlainNft', 'mintBatch', [holder, 1, 2]) })
  await anvil.send({ to: contracts.multi, data: callData('Multi1155', 'mint', [holder, 10, 5, '0x']) })
  server = await stage.serve(settings())
})
afterAll(async () => {
  await stage.clear()
  await anvil?.stop()
  host?.close()
  inner?.close()
})

it('reads metadata from every kind of URI, and none from where it must not', async () => {
  const { enumerable, plain, multi } = contracts
  for (let id = 1; id <= 8; id++) await fetched(enumerable, id)
  await fetched(plain, 1)
  await fetched(multi, 10)
  expect(await detail(enumerable, 1)).toEqual({
    address: expect.stringMatching(new RegExp(enumerable, 'i')),
    name: 'Enumerable Curios',
    symbol: 'CURIO',
    ercType: 'ERC-721',
    tokenId: '1',
    tokenUri: at('/1.json'),
    ownerAddress: expect.stringMatching(new RegExp(anvil.accounts[0] ?? '', 'i')),
    metadata: {
      indexStatus: 'INDEXED',
      metadataLastUpdatedTimestamp: expect.any(Number),
      name: 'of /1.json',
      imageUri: 'ipfs://Qm/1.png',
      attributes: '[{"trait_type":"a","value":1}]',
    },
  })
  const shown = async (contract: string, id: number) => {
    const { tokenUri, metadata } = await detail(contract, id)
    return [tokenUri, metadata.indexStatus, metadata.name]
  }
  expect(await shown(enumerable, 2)).toEqual(['ipfs://QmFolder/2', 'INDEXED', 'of /ipfs/QmFolder/2'])
  expect((await shown(enumerable, 3)).slice(1)).toEqual(['INDEXED', 'inline'])
  expect((await shown(enumerable, 4)).slice(1)).toEqual(['INVALID_TOKEN_URI_SCHEME', undefined])
  for (const id of [5, 6, 7, 8])
    expect((await shown(enumerable, id)).slice(1), `${id}`).toEqual(['INVALID_TOKEN_URI', undefined])
  expect(innerAsked).toBe(0)
  expect(await shown(plain, 1)).toEqual(['ar://transaction/1', 'INDEXED', 'of /ar/transaction/1'])
  const id = 'a'.padStart(64, '0')
  expect(await detail(multi, 10)).toMatchObject({ ercType: 'ERC-1155', metadata: { name: `of /${id}` } })
  expect(await detail(multi, 10)).not.toHaveProperty('ownerAddress')
})

it('lists a collection page by page, under the chain’s EVM id and its blockchain id', async () => {
  const ids: string[] = []
  let token = ''
  do {
    const page = await get(`${place(contracts.enumerable)}?pageSize=3&pageToken=${token}`)
    ids.push(...page.tokens.map(({ tokenId }: { tokenId: string }) => tokenId))
    token = page.nextPageToken ?? ''
  } while (token !== '')
  expect(ids).toEqual(['1', '2', '3', '4', '5', '6', '7', '8'])
  expect(await get(place(contracts.enumerable, '', BLOCKCHAIN_ID))).toEqual(await get(place(contracts.enumerable)))
  expect((await fetch(place(contracts.enumerable, '', '1'))).status).toBe(404)
  const answer = await fetch(place(contracts.enumerable))
  expect(Number(answer.headers.get('x-indexed-height'))).toBeGreaterThan(10)
})

it('fetches again when the contract says that the metadata changed (EIP-4906)', async () => {
  const data = callData('EnumNft', 'setUri', [1, at('/changed.json')])
  await anvil.send({ to: contracts.enumerable, data })
  await expect
    .poll(async () => (await detail(contracts.enumerable, 1)).metadata.name, { interval: 200 })
    .toBe('of /changed.json')
})

it('reindexes once an hour, or as often as is set: 201 without body, then 429 that says when, also after a restart', async () => {
  const before = asked.filter((path) => path === '/ipfs/QmFolder/2').length
  const first = await reindex(contracts.enumerable, 2)
  expect([first.status, await first.text(), first.headers.get('content-type')]).toEqual([201, '', null])
  await expect.poll(() => asked.filter((path) => path === '/ipfs/QmFolder/2').length).toBe(before + 1)
  const refused = async (seconds: number) => {
    const answer = await reindex(contracts.enumerable, 2)
    expect(answer.status).toBe(429)
    const wait = Number(answer.headers.get('retry-after'))
    expect(wait).toBeGreaterThan(seconds - 200)
    expect(wait).toBeLessThanOrEqual(seconds)
    expect(await answer.json()).toMatchObject({ statusCode: 429, error: 'Too Many Requests' })
  }
  await refused(3_600)
  await server.app.close()
  server = await stage.serve(settings({ reindexCooldownMs: 7_200_000 }))
  await expect.poll(async () => (await fetch(place(contracts.enumerable))).status).toBe(200)
  await refused(7_200)
  expect((await reindex(contracts.enumerable, 999)).status).toBe(404)
})

it('works with an SDK: reindex, then wait for a newer time, also when the fetch fails', async () => {
  const { data } = new Avalanche({ chainId: CHAIN, network: 'fuji', enableTelemetry: false })
  const o = { serverURL: server.url, retries: { strategy: 'none' as const } }
  const token = { address: contracts.enumerable, tokenId: '4' }
  const began = Math.floor(Date.now() / 1_000)
  await data.nfts.reindex(token, o)
  await expect
    .poll(async () => (await data.nfts.get(token, o)).metadata.metadataLastUpdatedTimestamp)
    .toBeGreaterThanOrEqual(began)
  expect((await data.nfts.get(token, o)).metadata.indexStatus).toBe('INVALID_TOKEN_URI_SCHEME')
})
