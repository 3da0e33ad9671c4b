import { expect, it } from 'vitest'
import { type NftDeps, nftRoutes } from '../../../../src/api/data/evm/nfts.ts'
import { NotFoundError } from '../../../../src/errors.ts'
import { startDataApi } from '../data-app.ts'

const CHAIN = '43113'
const NOW = 1_000_000

/** @param ageMs of the chain's index; undefined = it has not begun */
async function reindex(
  ageMs: number | undefined,
  requestReindex: NftDeps['metadata']['requestReindex'],
  reindexCooldownMs = 3_600_000,
) {
  const stream = { stream: 'testnet:C', tip: { height: 560n }, currentAtMs: BigInt(NOW - (ageMs ?? 0)) }
  const deps = {
    index: { progress: async () => (ageMs === undefined ? [] : [stream]) },
    chains: {
      list: async () => [{ chainId: CHAIN }],
      streams: async () => new Map([[CHAIN, 'testnet:C']]),
    },
    metadata: { requestReindex },
    maxIndexAgeMs: 10_000,
    now: () => NOW,
    reindexCooldownMs,
  } as unknown as NftDeps
  const app = await startDataApi(nftRoutes(deps))
  const url = `/v1/chains/${CHAIN}/nfts/collections/0x${'ab'.repeat(20)}/tokens/7:reindex`
  const { statusCode, headers } = await app.inject({ method: 'POST', url })
  await app.close()
  return [statusCode, headers['x-index-age']]
}

it('a token that is not there is unknown only while the index is at the tip: an old one may not have come to it', async () => {
  const missing = async () => ({ found: false })
  expect(await reindex(1_000, missing)).toEqual([404, '1'])
  expect(await reindex(11_000, missing)).toEqual([503, '11'])
})

it('a chain whose index has not begun is 503, not unknown', async () => {
  expect(await reindex(undefined, () => Promise.reject(new NotFoundError('nothing of it')))).toEqual([503, undefined])
})

it('a token that is there needs no fresh index: its metadata is read from the chain', async () => {
  expect(await reindex(11_000, async () => ({ found: true }))).toEqual([201, undefined])
})

it('a begun second of the time between two requests counts as a whole one', async () => {
  const asked: number[] = []
  const request = async (_token: unknown, coolDownSeconds: number) => {
    asked.push(coolDownSeconds)
    return { found: true }
  }
  for (const ms of [0, 1, 500, 1_000, 3_599_001]) await reindex(1_000, request, ms)
  expect(asked).toEqual([0, 1, 1, 1, 3_600])
})
