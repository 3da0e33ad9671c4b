import { expect, it, onTestFinished } from 'vitest'
import { createAvalancheNetwork } from '../../../src/chains/avalanche/index.ts'
import { readNetworkSetup, withTold } from '../../../src/indexer/primary/network-setup.ts'
import { MAX_VALIDATOR_STAKE, PRIMARY_REWARD } from '../../../src/indexer/primary/p/rules.ts'
import { createUpstreamPool } from '../../../src/upstream/index.ts'
import { startReplayNode } from '../../support/replay-node/index.ts'
import { TEST_LIMITS } from '../../support/upstream/upstream-pool.ts'
import { startLyingProxy } from '../lying-proxy.ts'

const NEVER = 2n ** 62n
const known = { cortina: 1n, durango: 2n, etna: 3n, helicon: 4n }

it('the date of an upgrade that was told stays where a node of an older version has none, and moves where it is another', () => {
  expect(withTold(known, { ...known, helicon: NEVER })).toEqual(known)
  expect(withTold({ ...known, helicon: NEVER }, known)).toEqual(known)
  expect(withTold(known, { ...known, helicon: 5n })).toEqual({ ...known, helicon: 5n })
})

/** As an indexer, and a reader of restaked rewards, begin over nodes that have these dates for it, in this order. */
async function heliconOf(...times: string[]): Promise<{ indexer: bigint; reader: number | undefined }> {
  const node = await startReplayNode({})
  const proxies = await Promise.all(
    times.map((time) =>
      startLyingProxy(node.url, (body) =>
        Buffer.from(body.toString('latin1').replace(/"heliconTime":"[^"]*"/, time), 'latin1'),
      ),
    ),
  )
  const specs = proxies.map(({ url }) => ({ url }))
  const pool = createUpstreamPool('versions', specs, TEST_LIMITS)
  onTestFinished(async () => {
    await pool.close()
    await Promise.all([node, ...proxies].map((one) => one.stop()))
  })
  const staking = { reward: PRIMARY_REWARD, maxValidatorStake: MAX_VALIDATOR_STAKE }
  const { signal } = new AbortController()
  const network = createAvalancheNetwork({ pool })
  const reader = await network.autoRenewalFrom()
  return { indexer: (await readNetworkSetup(network, staking, signal)).rules.upgrades.helicon, reader }
}

it('whoever begins counts with a date that one of the nodes has, whichever is asked first', async () => {
  const [dated, undated, older] = [
    '"heliconTime":"2026-11-22T17:12:26Z"',
    '"heliconTime":"9999-12-01T00:00:00Z"',
    '"otherTime":"2024-12-16T17:00:00Z"',
  ]
  const seconds = Date.parse('2026-11-22T17:12:26Z') / 1_000
  const both = { indexer: BigInt(seconds), reader: seconds }
  expect(await heliconOf(undated, dated)).toEqual(both)
  expect(await heliconOf(older, undated, dated)).toEqual(both)
  expect(await heliconOf(dated, undated)).toEqual(both)
  expect((await heliconOf(undated, older)).indexer).toBe(NEVER)
})
