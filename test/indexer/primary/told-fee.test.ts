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
const FEE = { target: 7n, minPrice: 777n, excessConversion: 999n }

/** The fee by which an index begins over nodes that say this of it, in this order. */
async function feeOf(...said: string[]) {
  const node = await startReplayNode()
  const proxies = await Promise.all(
    said.map((text) =>
      startLyingProxy(node.url, (truth, { body }) => (body.includes(METHOD) ? Buffer.from(text) : truth)),
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
  const network = createAvalancheNetwork({ pool })
  return (await readNetworkSetup(network, staking, new AbortController().signal)).rules.validatorFee
}

it.each([
  {
    how: 'has no such method',
    said: answer({ error: { code: -32_000, message: `rpc: can't find method "${METHOD}"` } }),
  },
  { how: 'hides the method', said: answer({ error: { code: -32_601, message: 'the method is not allowed' } }) },
  { how: 'is in trouble', said: answer({ error: { code: -32_000, message: 'closed database' } }) },
  { how: 'tells no fee', said: answer({ result: {} }) },
])('what L1 validators pay is told by another node where the first one $how', async ({ said }) => {
  expect(await feeOf(said, CONFIG)).toEqual(FEE)
})
