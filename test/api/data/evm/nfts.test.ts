import { expect, it } from 'vitest'
import { type NftDeps, nftRoutes } from '../../../../src/api/data/evm/nfts.ts'
import type { NftToken } from '../../../../src/store/index.ts'
import { startDataApi } from '../data-app.ts'

const NOW = 1_000_000
const [CHAIN, OTHER_CHAIN, STANDING] = ['43113', '9', '5']
const [CONTRACT, OTHER] = [`0x${'ab'.repeat(20)}`, `0x${'cd'.repeat(20)}`]

const unique: NftToken = {
  tokenId: 7n,
  standard: 'ERC-721',
  contract: {},
  metadata: { status: 'UNINDEXED', decimals: 2, properties: '{}' },
}
const shared: NftToken = {
  tokenId: 8n,
  standard: 'ERC-1155',
  contract: { name: 'not shown' },
  metadata: { status: 'INDEXED', tokenUri: 'ipfs://x', decimals: 0, properties: '{"a":1}', attributes: '[]' },
}

/** Two chains at their tips, and one whose index stands; each has the same two tokens, and pages of one. */
async function open() {
  const chainIds = [CHAIN, OTHER_CHAIN, STANDING]
  const asked: unknown[] = []
  const deps = {
    index: {
      progress: async () =>
        chainIds.map((stream) => ({
          stream,
          tip: { height: 560n },
          currentAtMs: BigInt(NOW - (stream === STANDING ? 11_000 : 1_000)),
        })),
      nfts: {
        list: async (_collection: unknown, { afterTokenId }: { afterTokenId?: bigint }) => {
          asked.push(afterTokenId)
          return afterTokenId === undefined ? { tokens: [unique], nextTokenId: 7n } : { tokens: [shared] }
        },
        find: async (_collection: unknown, tokenId: bigint) => {
          asked.push(tokenId)
          return [unique, shared].find((token) => token.tokenId === tokenId)
        },
      },
    },
    chains: {
      list: async () => chainIds.map((chainId) => ({ chainId })),
      streams: async () => new Map(chainIds.map((chainId) => [chainId, chainId])),
    },
    maxIndexAgeMs: 10_000,
    now: () => NOW,
  } as unknown as NftDeps
  const app = await startDataApi(nftRoutes(deps))
  const get = async (rest: string, chain = CHAIN, contract = CONTRACT) => {
    const answer = await app.inject(`/v1/chains/${chain}/nfts/collections/${contract}/tokens${rest}`)
    return { status: answer.statusCode, age: answer.headers['x-index-age'], body: answer.json() }
  }
  return { get, asked, close: () => app.close() }
}

it('a token of which nothing was read yet has an empty URI, and each standard the members that are its own', async () => {
  const { get, close } = await open()
  const head = { address: expect.stringMatching(new RegExp(CONTRACT, 'i')) }
  const first = {
    ...head,
    name: '',
    symbol: '',
    ercType: 'ERC-721',
    tokenId: '7',
    tokenUri: '',
    metadata: { indexStatus: 'UNINDEXED' },
  }
  const second = {
    ...head,
    ercType: 'ERC-1155',
    tokenId: '8',
    tokenUri: 'ipfs://x',
    metadata: { indexStatus: 'INDEXED', decimals: 0, properties: '{"a":1}' },
  }
  expect(await get('/7')).toEqual({ status: 200, age: '1', body: first })
  expect(await get('/8')).toEqual({ status: 200, age: '1', body: second })
  const { body } = await get('')
  expect(body).toEqual({ tokens: [first], nextPageToken: expect.any(String) })
  expect((await get(`?pageToken=${body.nextPageToken}`)).body).toEqual({ tokens: [second] })
  await close()
})

it('a page goes on in the collection in which it began, of the chain of which it is', async () => {
  const { get, asked, close } = await open()
  const page = `?pageToken=${(await get('')).body.nextPageToken}`
  expect((await get(page)).status).toBe(200)
  expect(asked).toEqual([undefined, 7n])
  expect((await get(page, OTHER_CHAIN)).status).toBe(400)
  expect((await get(page, CHAIN, OTHER)).status).toBe(400)
  // An address is one, however it is spelled.
  expect((await get(page, CHAIN, CONTRACT.toUpperCase().replace('X', 'x'))).status).toBe(200)
  await close()
})

it('a number as long as the largest may be unknown, a longer one is none', async () => {
  const { get, asked, close } = await open()
  expect((await get(`/${'9'.repeat(78)}`)).status).toBe(404)
  for (const none of ['9'.repeat(79), '-1', '0x7', '7.0']) expect((await get(`/${none}`)).status, none).toBe(400)
  expect(asked).toEqual([BigInt('9'.repeat(78))])
  await close()
})

it('where the index stands, neither the list nor a token is answered', async () => {
  const { get, asked, close } = await open()
  for (const rest of ['', '/7', '/9']) expect(await get(rest, STANDING)).toMatchObject({ status: 503, age: '11' })
  expect(asked).toEqual([])
  await close()
})
