import { expect, it, onTestFinished } from 'vitest'
import { createAvalancheNetwork } from '../../../src/chains/avalanche/index.ts'
import { readNetworkSetup } from '../../../src/indexer/primary/network-setup.ts'
import { MAX_VALIDATOR_STAKE, PRIMARY_REWARD } from '../../../src/indexer/primary/p/rules.ts'
import { createUpstreamPool } from '../../../src/upstream/index.ts'
import { startReplayNode } from '../../support/replay-node/index.ts'
import { TEST_LIMITS } from '../../support/upstream/upstream-pool.ts'
import { startLyingProxy } from '../lying-proxy.ts'

const METHOD = 'platform.getValidatorFeeConfig'
const answer = (said: object): string => JSON.stringify({ jsonrpc: '2.0', id: 1, ...said })
/** What L1 validators pay is no node's default here. */
const CONFIG = answer({ result: { capacity: '20000', target: '7', minPrice: '777', excessConversionConstant: '999' } })
/** Network ID of a network of one's own. */
const OWN = 1_337
/** A node's default on networks of one's own. */
const PRESET = { target: 10_000n, minPrice: 1n, excessConversion: 865_617n }
const FEE = { target: 7n, minPrice: 777n, excessConversion: 999n }

/** The fee by which an index begins over nodes that say this of it, in this order; undefined = the connection is cut. */
async function feeOf(networkId: number, ...said: (string | undefined)[]) {
  const node = await startReplayNode()
  const proxies = await Promise.all(
    said.map((text) =>
      startLyingProxy(node.url, (truth, { body }) => {
        if (!body.includes(METHOD)) return truth
        return text === undefined ? undefined : Buffer.from(text)
      }),
    ),
  )
  const pool = createUpstreamPool(
    'fees',
    proxies.map(({ url }, priority) => ({ url, priority })),
    { ...TEST_LIMITS, hedgeMinMs: 0 },
  )
  onTestFinished(async () => {
    await pool.close()
    await Promise.all([node, ...proxies].map((one) => one.stop()))
  })
  const staking = { reward: PRIMARY_REWARD, maxValidatorStake: MAX_VALIDATOR_STAKE }
  const network = createAvalancheNetwork({ pool, overrides: { networkId } })
  return (await readNetworkSetup(network, staking, new AbortController().signal)).rules.validatorFee
}

const LACKING = answer({ error: { code: -32_000, message: `rpc: can't find method "${METHOD}"` } })
const HIDDEN = answer({ error: { code: -32_601, message: 'the method is not allowed' } })

it.each([
  { how: 'has no such method', said: LACKING },
  { how: 'hides the method', said: HIDDEN },
  { how: 'is in trouble', said: answer({ error: { code: -32_000, message: 'closed database' } }) },
  { how: 'tells no fee', said: answer({ result: {} }) },
])('what L1 validators pay is told by another node where the first one $how', async ({ said }) => {
  expect(await feeOf(OWN, said, CONFIG)).toEqual(FEE)
})

it('what L1 validators pay is not guessed while the node that may know it is away', async () => {
  const silence = /127\.0\.0\.1:\d+ may have it and did not answer/
  await expect(feeOf(OWN, LACKING, undefined, HIDDEN)).rejects.toThrow(silence)
  expect(await feeOf(OWN, LACKING, HIDDEN)).toEqual(PRESET)
  expect(await feeOf(OWN, HIDDEN)).toEqual(PRESET)
  // Operators of the public networks do not choose it.
  expect(await feeOf(5, LACKING, undefined)).toEqual({ target: 10_000n, minPrice: 512n, excessConversion: 51_937_021n })
})
