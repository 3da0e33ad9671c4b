import { afterAll, beforeAll, expect, it } from 'vitest'
import { type LyingProxy, startLyingProxy } from '../../../indexer/lying-proxy.ts'
import { type SandboxAvalanche, startSandboxAvalanche } from '../../../sandbox/avalanche-network.ts'
import { recordedIndex } from '../../../support/recorded/recorded-index.ts'
import { recordedJson } from '../../../support/recorded/recordings.ts'
import { trueUtxos } from '../../../support/recorded/true-utxos.ts'
import { createStage } from '../../../support/server/stage.ts'
import { everyAddress, placeOf } from '../recorded-truth.ts'

/*
 * An index of P alone, which holds outputs of assets that were made on X: as on a network whose assets are older than the
 * index of X can be.
 */
interface Recorded {
  avaxAssetID: string
  assets: { assetID: string; name: string; symbol: string; denomination: string }[]
}

const stage = createStage()
const { avaxAssetID, assets } = recordedJson<Recorded>('network')
const tokens = trueUtxos().filter(({ assetId, createdOnChain }) => assetId !== avaxAssetID && createdOnChain === 'P')
const addresses = everyAddress(tokens).join(',')
let network: SandboxAvalanche
let front: LyingProxy
let hides = true
let url: string

beforeAll(async () => {
  network = await startSandboxAvalanche()
  const refusal = Buffer.from('{"jsonrpc":"2.0","error":{"code":-32000,"message":"database closed"},"id":1}')
  front = await startLyingProxy(network.url, (body, request) =>
    hides && request.body.includes('getAssetDescription') && !request.body.includes('"AVAX"') ? refusal : body,
  )
  const base = recordedIndex(front.url)
  ;({ url } = await stage.serve({ ...base, index: { ...base.index, streams: ['testnet:P'] } }))
})
afterAll(async () => {
  await stage.clear()
  await Promise.all([front?.stop(), network?.stop()])
})

interface Shown {
  assetId: string
  name: string
  symbol: string
  denomination: number
}

async function utxosOf() {
  const answer = await fetch(`${url}${placeOf('P')}/utxos?pageSize=1024&includeSpent=true`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ addresses }),
  })
  const body = (await answer.json()) as { message?: string; utxos?: { asset: Shown }[] }
  return {
    status: answer.status,
    height: Number(answer.headers.get('x-indexed-height')),
    message: body.message ?? '',
    assets: (body.utxos ?? []).map(({ asset }) => asset).filter(({ assetId }) => assetId !== avaxAssetID),
  }
}

it('outputs of assets that the index cannot describe are shown with what a node says, or not at all', async () => {
  await expect
    .poll(async () => (await utxosOf()).message, { interval: 200 })
    .toMatch(/does not know how many decimals the asset \w+ has, and no node tells it now/)
  expect((await utxosOf()).status).toBe(503)

  hides = false
  const { status, assets: shown } = await utxosOf()
  expect(status).toBe(200)
  expect(shown.length).toBeGreaterThan(0)
  for (const { assetId, name, symbol, denomination } of shown) {
    const truth = assets.find(({ assetID }) => assetID === assetId)
    expect({ name, symbol, denomination: String(denomination) }).toEqual({
      name: truth?.name,
      symbol: truth?.symbol,
      denomination: truth?.denomination,
    })
  }
})
