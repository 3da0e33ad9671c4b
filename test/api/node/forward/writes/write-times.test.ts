import { expect, it, onTestFinished, vi } from 'vitest'
import type { ForwardCall } from '../../../../../src/api/node/forward/call.ts'
import { createNodePools, type Member, type NodeGroup } from '../../../../../src/api/node/forward/nodes/node-pools.ts'
import { forwardWrite } from '../../../../../src/api/node/forward/writes/writes.ts'
import { type Endpoint, endpointByName } from '../../../../../src/api/node/routes/endpoint.ts'
import { TEST_LIMITS } from '../../../../support/upstream/upstream-pool.ts'
import { evmCall, NONE_LATE, posted, startFront } from '../../fake-nodes.ts'

const params = '["0x02f8aabbccdd"]'
const write: ForwardCall = {
  endpoint: endpointByName('C/rpc') as Endpoint,
  rule: { target: 'write' },
  method: 'eth_sendRawTransaction',
  params: Buffer.from(params),
  id: Buffer.from('1'),
  http: posted(evmCall('eth_sendRawTransaction', params)),
  signal: new AbortController().signal,
}

/** The nodes of a group whose clock goes on by 12 seconds while each of them is asked; `given` = what each is given. */
function startSlow(group: NodeGroup, given: number[]): NodeGroup {
  let passed = 0
  const real = Date.now
  vi.spyOn(Date, 'now').mockImplementation(() => real() + passed)
  onTestFinished(() => void vi.restoreAllMocks())
  const slow = (member: Member): Member => ({
    ...member,
    pool: {
      ...member.pool,
      exchange: async (request, options) => {
        given.push((options?.deadline ?? 0) - Date.now())
        const answer = await member.pool.exchange(request, options)
        passed += 12_000
        return answer
      },
    },
  })
  const members = group.members().map(slow)
  return { ...group, members: () => members }
}

it('a write has thirty seconds over all nodes, and no node more than twenty of them', async () => {
  const front = await startFront(3)
  for (const node of front.nodes)
    node.answer = ({ method }) => (method === 'eth_sendRawTransaction' ? { body: '<html>' } : undefined)
  const nodes = front.nodes.map(({ url }) => ({ url }))
  const pools = createNodePools({ nodes, evm: {}, limits: TEST_LIMITS, deps: {} })
  onTestFinished(() => pools.close())
  const given: number[] = []
  await expect(forwardWrite(write, startSlow(pools.group('C/rpc'), given), 'one', NONE_LATE)).rejects.toThrow(
    /no node took/,
  )
  const [first = 0, second = 0, third = 0] = given
  expect(given).toHaveLength(3)
  // What passes on a busy machine meanwhile is only taken away.
  expect([first <= 20_000, second <= 18_000, third <= 6_000]).toEqual([true, true, true])
  expect([first > 12_000, second > 6_000]).toEqual([true, true])
})

it('whether a node knows a transaction is asked once', async () => {
  const front = await startFront(2)
  const [lost, other] = front.nodes
  if (lost) lost.answer = ({ method }) => (method === 'eth_sendRawTransaction' ? 'cut' : undefined)
  const refusal = '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"nonce too low"}}\n'
  if (other)
    other.answer = ({ method }) => {
      if (method === 'eth_getTransactionByHash') return 'cut'
      return method === 'eth_sendRawTransaction' ? { body: refusal } : undefined
    }
  expect((await front.post('/ext/bc/C/rpc', evmCall('eth_sendRawTransaction', params))).text).toBe(refusal)
  expect(other?.asked.map(({ method }) => method)).toEqual(['eth_sendRawTransaction', 'eth_getTransactionByHash'])
})
