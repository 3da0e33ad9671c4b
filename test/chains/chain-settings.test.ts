import pino from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { AVALANCHE_CAIP2 } from '../../src/chains/avalanche/index.ts'
import { createChains } from '../../src/chains/index.ts'
import type { ChainSettings } from '../../src/chains/settings.ts'
import { TEST_LIMITS } from '../support/upstream/upstream-pool.ts'

const upstreams = [{ url: 'http://127.0.0.1:9' }]
const { P, X, C } = AVALANCHE_CAIP2.testnet

function chainsOf(settings: Partial<ChainSettings>) {
  const chains = createChains(
    { evm: {}, bitcoin: {}, solana: {}, avalanche: {}, ...settings },
    { limits: TEST_LIMITS, tokens: { tokens: () => [] }, xpubGap: 20, pool: {}, logger: pino({ enabled: false }) },
  )
  onTestFinished(() => chains.close())
  return chains.byId
}

/** How long readings of Bitcoin, Solana and P are kept, with that time between blocks. */
function cacheTimes(blockTimeMs: number | undefined): (number | undefined)[] {
  const byId = chainsOf({
    bitcoin: { one: { network: 'regtest', upstreams: [{ kind: 'esplora', url: 'http://127.0.0.1:9' }], blockTimeMs } },
    solana: { one: { upstreams, blockTimeMs } },
    avalanche: { testnet: { upstreams, blockTimeMs } },
  })
  return ['bip122:one', 'solana:one', P].map((id) => byId.get(id)?.cacheMs)
}

it('readings are kept about a block, within what each family bears', () => {
  expect(cacheTimes(undefined)).toEqual([5_000, 1_000, 2_000])
  expect(cacheTimes(3_000)).toEqual([3_000, 3_000, 3_000])
  expect(cacheTimes(60_000)).toEqual([5_000, 12_000, 12_000])
  expect(cacheTimes(1)).toEqual([1_000, 1_000, 1_000])
})

it('the coin of P, X and C is that of the settings, without a price where they name none', () => {
  const native = { name: 'Own coin', symbol: 'OWN', decimals: 9 }
  const own = chainsOf({ avalanche: { testnet: { upstreams, native } } })
  for (const id of [P, X, C]) expect(own.get(id)?.source.native).toEqual({ ...native, internalId: 'NATIVE-own' })
  const usual = chainsOf({ avalanche: { testnet: { upstreams } } })
  for (const id of [P, X, C])
    expect(usual.get(id)?.source.native).toMatchObject({ symbol: 'AVAX', decimals: 9, priceId: 'avalanche-2' })
})
