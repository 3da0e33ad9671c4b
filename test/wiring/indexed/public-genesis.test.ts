import { getGlobalDispatcher, MockAgent, setGlobalDispatcher } from 'undici'
import { afterEach, expect, it, onTestFinished } from 'vitest'
import { catalogue } from '../../../src/config/catalogue/index.ts'
import { startLyingProxy } from '../../indexer/lying-proxy.ts'
import { startSandboxAvalanche } from '../../sandbox/avalanche-network.ts'
import { createStage } from '../../support/server/stage.ts'

const stage = createStage()
afterEach(() => stage.clear())

const { testnet } = catalogue.avalanche
/** Everything that is built in, left out. */
const none = (entries: object) => Object.fromEntries(Object.keys(entries).map((name) => [name, null]))

it('a node of one’s own that is of a public network has the genesis read from that network’s file', async () => {
  const network = await startSandboxAvalanche()
  const publicId = JSON.stringify(testnet?.xBlockchainId)
  // Says of its X-chain that it is the public one.
  const node = await startLyingProxy(network.url, (body, request) =>
    request.body.includes('info.getBlockchainID') && request.body.includes('"X"')
      ? Buffer.from(body.toString().replace(/(?<="blockchainID":)"\w+"/, publicId))
      : body,
  )
  const before = getGlobalDispatcher()
  const world = new MockAgent()
  world.disableNetConnect()
  world.enableNetConnect(/^127\.0\.0\.1/)
  setGlobalDispatcher(world)
  onTestFinished(async () => {
    setGlobalDispatcher(before)
    await Promise.all([world.close(), node.stop(), network.stop()])
  })
  const { origin, pathname } = new URL(testnet?.genesisFile ?? '')
  const asked = new Promise((resolve) => {
    world
      .get(origin)
      .intercept({ path: pathname })
      .reply(404, ({ path }) => {
        resolve(path)
        return ''
      })
      .persist()
  })
  await stage.serve({
    index: { enabled: true, streams: ['testnet:P'] },
    chains: {
      catalogue: true,
      evm: none(catalogue.evm),
      bitcoin: none(catalogue.bitcoin),
      solana: none(catalogue.solana),
      avalanche: { mainnet: null, testnet: { upstreams: [{ url: node.url, requestsPerSecond: 5_000 }] } },
    },
  })
  expect(await asked).toBe(pathname)
})
