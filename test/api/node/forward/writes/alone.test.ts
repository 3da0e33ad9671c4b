import { expect, it } from 'vitest'
import { evmCall, nodeAt, type Reply, startFront } from '../../fake-nodes.ts'

const PATH = '/ext/bc/C/rpc'
const METHOD = 'warp_getMessageAggregateSignature'
const call = evmCall(METHOD, '["0x01",67,""]')
const error = (code: number, message: string): Reply => ({
  body: `{"jsonrpc":"2.0","id":1,"error":{"code":${code},"message":${JSON.stringify(message)}}}\n`,
})

const NOT_HERE: Reply = { status: 404, body: '404 page not found\n' }

const AWAY: readonly [what: string, Reply][] = [
  ['is cut off', 'cut'],
  ['stands behind a proxy that cannot reach it', { status: 502, body: '<html>' }],
  ['has that API off', error(-32601, `the method ${METHOD} does not exist/is not available`)],
  ['has not what is to be signed', error(-32000, 'block not found')],
]

it.each(AWAY)('signatures are aggregated by the next node where the first %s', async (_what, reply) => {
  const front = await startFront(3)
  for (const node of front.nodes.slice(0, 2)) node.answer = ({ method }) => (method === METHOD ? reply : undefined)
  for (let turn = 0; turn < 3; turn += 1) {
    const { status, text } = await front.post(PATH, call)
    expect([status, JSON.parse(text)]).toEqual([200, { jsonrpc: '2.0', id: 1, result: '0x1' }])
  }
})

it('a node that is away is no reason to say that there is no such method, nor one that refuses', async () => {
  const front = await startFront(2)
  const missing = error(-32601, `the method ${METHOD} does not exist/is not available`)
  nodeAt(front, 0).answer = ({ method }) => (method === METHOD ? missing : undefined)
  nodeAt(front, 1).answer = ({ method }) => (method === METHOD ? 'cut' : undefined)
  expect((await front.post(PATH, call)).status).toBe(502)
  nodeAt(front, 1).answer = ({ method }) =>
    method === METHOD ? { status: 429, headers: { 'retry-after': '60' }, body: 'slow down' } : undefined
  for (let turn = 0; turn < 2; turn += 1) {
    const { status, headers } = await front.post(PATH, call)
    expect([status, headers.has('retry-after')]).toEqual([503, true])
  }
})

it('without such a method anywhere the words are those of a node', async () => {
  const front = await startFront(2)
  const missing = error(-32601, `the method ${METHOD} does not exist/is not available`)
  for (const node of front.nodes) node.answer = ({ method }) => (method === METHOD ? missing : undefined)
  const { status, text } = await front.post(PATH, call)
  expect([status, JSON.parse(text)]).toMatchObject([200, { error: { code: -32601 } }])
})

const TOLD: readonly [what: string, Reply, beside: Reply, expected: [status: number, text: string]][] = [
  ['have not what is to be signed', error(-32000, 'block not found'), 'cut', [200, 'block not found']],
  [
    'are in trouble of their own',
    { ...(error(-32000, 'out of memory') as object), status: 500 } as Reply,
    NOT_HERE,
    [500, 'out of memory'],
  ],
  ['do not run the chain', NOT_HERE, NOT_HERE, [404, 'page not found']],
]

it.each(TOLD)(
  'of nodes that %s one is quoted, whatever others said less of',
  async (_what, reply, beside, expected) => {
    const front = await startFront(3)
    for (const [at, node] of front.nodes.entries())
      node.answer = ({ method }) => (method === METHOD ? (at === 1 ? reply : beside) : undefined)
    const { status, text } = await front.post(PATH, call)
    expect([status, text]).toEqual([expected[0], expect.stringContaining(expected[1])])
  },
)

const LESS: readonly [what: string, Reply][] = [
  ['words of trouble are', { ...(error(-32000, 'out of memory') as object), status: 500 } as Reply],
  ['silence is', 'cut'],
]

it.each(LESS)('%s not the last while another node only has too many requests, asked now or before', async (_, less) => {
  const front = await startFront(2)
  const limited: Reply = { status: 429, headers: { 'retry-after': '60' }, body: 'slow down' }
  for (const [at, node] of front.nodes.entries())
    node.answer = ({ method }) => (method === METHOD ? [less, limited][at] : undefined)
  for (let turn = 0; turn < 2; turn += 1) {
    const { status, headers } = await front.post(PATH, call)
    expect([status, headers.has('retry-after')]).toEqual([503, true])
  }
})

const NONE: readonly [what: string, Reply, status: number][] = [
  ['wants a key', { status: 401, body: 'key?' }, 502],
  ['sends a page', { body: '<html>' }, 502],
  ['answers another call', { body: '{"jsonrpc":"2.0","id":2,"result":"0xother"}\n' }, 502],
  ['has had too many requests', error(-32029, 'slow down'), 503],
  ['has no time', { status: 503, headers: { 'retry-after': '60' }, body: 'later' }, 503],
]

it.each(NONE)('a node that %s has not answered: the client gets none of its words', async (_what, reply, expected) => {
  const front = await startFront(1)
  nodeAt(front, 0).answer = ({ method }) => (method === METHOD ? reply : undefined)
  const { status, text, headers } = await front.post(PATH, call)
  expect([status, JSON.parse(text)]).toMatchObject([expected, { id: 1, error: { message: 'no node answered' } }])
  expect(headers.has('retry-after')).toBe(true)
})
