import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import type { IndexedServer } from './indexed-server.ts'

interface Rewards {
  historical: { total: string; sharedWithOthers: string }
  stakeOwned: { total: string }
  pending: { net: string }
}

const truth = JSON.parse(
  gunzipSync(
    readFileSync(new URL('../../fixtures/network/truth/rewards-by-address.json.gz', import.meta.url)),
  ).toString(),
) as Record<string, Rewards>

export function checkStakeRewards(server: () => IndexedServer): void {
  const ask = (addresses: readonly string[]) =>
    server().post('/v1/stake/get-rewards', { addresses: addresses.map((one) => `P-${one}`), isTestnet: true })

  it('answers for every staker what an independent program counted', async () => {
    const answers = await Promise.all(
      Object.keys(truth).map(async (address) => [address, (await ask([address])).body] as const),
    )
    const expected = Object.entries(truth).map(([address, { historical, stakeOwned, pending }]) => [
      address,
      {
        historicalRewardsAmount: historical.total,
        pendingStakeAmount: stakeOwned.total,
        estimatedRewardAmount: pending.net,
      },
    ])
    expect(answers).toEqual(expected)
  })

  it('says how far the index is, and how old', async () => {
    const { headers } = await ask(Object.keys(truth))
    expect(headers.get('x-indexed-height')).toBe('371')
    expect(Number(headers.get('x-index-age'))).toBeLessThan(300)
  })

  it('has no zeros for a network that is not configured, and says why', async () => {
    const addresses = Object.keys(truth).map((one) => `P-${one}`)
    const { status, body } = await server().post('/v1/stake/get-rewards', { addresses, isTestnet: false })
    expect([status, body]).toEqual([404, { message: 'NOT_FOUND', error: 'the mainnet is not served here' }])
  })

  it('counts what several addresses share once', async () => {
    const { body } = await ask([...Object.keys(truth), ...Object.keys(truth)])
    const sum = (choose: (rewards: Rewards) => string) =>
      Object.values(truth).reduce((total, rewards) => total + BigInt(choose(rewards)), 0n)
    const all = sum(({ historical }) => historical.total)
    const shared = sum(({ historical }) => historical.sharedWithOthers)
    expect(shared).toBeGreaterThan(0n)
    expect(BigInt(body.historicalRewardsAmount)).toBeLessThan(all)
    expect(BigInt(body.historicalRewardsAmount)).toBeGreaterThanOrEqual(all - shared)
    expect(BigInt(body.pendingStakeAmount)).toBeLessThanOrEqual(sum(({ stakeOwned }) => stakeOwned.total))
  })
}
