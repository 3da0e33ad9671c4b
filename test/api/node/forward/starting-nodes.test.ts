import { expect, it } from 'vitest'
import { eventually } from '../../../support/waiting/eventually.ts'
import {
  type Asked,
  evmCall,
  type Front,
  gorillaCall,
  id32,
  OTHER_CHAIN,
  type Reply,
  startFront,
} from '../fake-nodes.ts'

const NOTHING: Reply = { status: 404, body: '404 page not found\n' }
const isOf = (chain: string, { path }: Asked): boolean => path.startsWith(`/ext/bc/${chain}/`)
const ask = (front: Front, chain: string) => front.post(`/ext/bc/${chain}/rpc`, evmCall('eth_chainId'))

it.each([OTHER_CHAIN, 'C'])('a chain whose nodes all start anew is not said not to exist: %s', async (chain) => {
  const front = await startFront(2)
  expect((await ask(front, chain)).status).toBe(200)
  // One makes the chain while it starts, and the other does not know it yet.
  for (const node of front.nodes) node.answer = (asked) => (isOf(chain, asked) ? NOTHING : undefined)
  for (const method of ['eth_gasPrice', 'eth_blockNumber']) {
    const { status, text } = await front.post(`/ext/bc/${chain}/rpc`, evmCall(method))
    expect([status, JSON.parse(text)]).toMatchObject([502, { error: { message: 'no node answered' } }])
  }
  for (const node of front.nodes) node.answer = () => undefined
  expect((await front.post(`/ext/bc/${chain}/rpc`, evmCall('eth_gasPrice'))).status).toBe(200)
})

it('that an L1 catches up is told in its node’s own words', async () => {
  const front = await startFront(1)
  expect((await ask(front, OTHER_CHAIN)).status).toBe(200)
  const body = 'API call rejected because chain is not done bootstrapping'
  for (const node of front.nodes)
    node.answer = (asked) => (isOf(OTHER_CHAIN, asked) ? { status: 503, body } : undefined)
  const { status, text } = await front.post(`/ext/bc/${OTHER_CHAIN}/rpc`, evmCall('eth_gasPrice'))
  expect([status, text]).toEqual([503, body])
})

it('no node that starts can say that there is no such L1, listed before or not', async () => {
  const front = await startFront(2)
  for (const node of front.nodes)
    node.answer = (asked) =>
      asked.path.startsWith('/ext/bc/') || asked.method === 'platform.getBlockchains' ? NOTHING : undefined
  // What was listed a moment ago counts until it is asked for again.
  for (const chain of [OTHER_CHAIN, id32(77)])
    await eventually(async () => expect((await ask(front, chain)).status).toBe(502))
})

it.each([OTHER_CHAIN, id32(77)])(
  'where the chains of the network are told, one that no node runs is 404: %s',
  async (chain) => {
    const front = await startFront(2)
    for (const node of front.nodes) node.answer = (asked) => (isOf(chain, asked) ? NOTHING : undefined)
    expect((await ask(front, chain)).status).toBe(404)
  },
)

it('an endpoint of an L1 that was not asked for lately is not said not to exist while those nodes start that ran the chain', async () => {
  const front = await startFront(2)
  const [runs, other] = front.nodes
  if (!runs || !other) throw new Error('there are two nodes')
  const validators = async () => {
    const call = gorillaCall('validators.getCurrentValidators')
    return (await front.post(`/ext/bc/${OTHER_CHAIN}/validators`, call)).status
  }
  other.answer = (asked) => (isOf(OTHER_CHAIN, asked) ? NOTHING : undefined)
  expect((await ask(front, OTHER_CHAIN)).status).toBe(200)
  for (const answer of ['cut', NOTHING] as const) {
    runs.answer = (asked) => (isOf(OTHER_CHAIN, asked) ? answer : undefined)
    expect(await validators()).toBe(502)
  }
  // Run by nobody who has it: the chain itself is there.
  runs.answer = ({ path }) => (path.endsWith('/validators') ? NOTHING : undefined)
  expect(await validators()).toBe(404)
})
