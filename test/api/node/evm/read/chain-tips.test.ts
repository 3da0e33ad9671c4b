import { expect, it, onTestFinished } from 'vitest'
import { createChainTips } from '../../../../../src/api/node/evm/read/chain-tips.ts'
import { createNodePools } from '../../../../../src/api/node/forward/nodes/node-pools.ts'
import { chainEndpoint, type Endpoint, endpointByName } from '../../../../../src/api/node/routes/endpoint.ts'
import { TEST_LIMITS } from '../../../../support/upstream/upstream-pool.ts'

it('what is known of tips goes with the pools of chains that strangers make up; those that are in use keep theirs', () => {
  const pools = createNodePools({ nodes: [{ url: 'http://127.0.0.1:1' }], evm: {}, limits: TEST_LIMITS, deps: {} })
  onTestFinished(() => pools.close())
  const { of: tip } = createChainTips({ pools, maxLagBlocks: 3 })
  const endpointOf = (chain: string) => chainEndpoint(chain, 'rpc') as Endpoint
  const cChain = endpointByName('C/rpc') as Endpoint
  const [own, used, once] = [tip(cChain), tip(endpointOf('used')), tip(endpointOf('once'))]
  expect(tip(endpointOf('once'))).toBe(once)
  for (let n = 0; n < 600; n += 1) {
    tip(endpointOf(`made up ${n}`))
    expect(tip(endpointOf('used'))).toBe(used)
  }
  expect(tip(cChain)).toBe(own)
  expect(tip(endpointOf('once'))).not.toBe(once)
})
