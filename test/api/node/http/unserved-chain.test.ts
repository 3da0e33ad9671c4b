import { expect, it } from 'vitest'
import { evmCall, nodeAt, OTHER_CHAIN, startFront } from '../fake-nodes.ts'

const PATH = `/ext/bc/${OTHER_CHAIN}/rpc`

/** What a probe by GET, a wrong method, a wrong type of body and an empty one are answered with. */
const oddly = async (url: string): Promise<number[]> => {
  const asked = [
    { method: 'GET' },
    { method: 'PUT', body: '{}' },
    { method: 'POST', headers: { 'content-type': 'text/plain' }, body: evmCall('eth_chainId') },
    { method: 'POST', headers: { 'content-type': 'application/json' }, body: ' ' },
  ]
  return Promise.all(asked.map(async (one) => (await fetch(url + PATH, one)).status))
}

it('an L1 that the network lists and no node runs is not there for probes either', async () => {
  const front = await startFront(1)
  nodeAt(front, 0).answer = ({ path }) => (path === PATH ? { status: 404, body: '404 page not found\n' } : undefined)
  expect((await front.post(PATH, evmCall('eth_chainId'))).status).toBe(404)
  expect(await oddly(front.url)).toEqual([404, 404, 404, 404])
})

it('an L1 that a node runs answers probes as the node does, and so does one whose node is away', async () => {
  const front = await startFront(1)
  expect(await oddly(front.url)).toEqual([200, 405, 415, 200])
  const away = await startFront(1)
  expect((await away.post(PATH, evmCall('eth_blockNumber'))).status).toBe(200)
  nodeAt(away, 0).answer = () => 'cut'
  expect(await oddly(away.url)).toEqual([200, 405, 415, 200])
})
