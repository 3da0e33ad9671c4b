import { expect, it } from 'vitest'
import { evmCall, gorillaCall, type Reply, startFront } from '../fake-nodes.ts'

// What a web server says where a node was: its site, or a proxy without the node behind it.

const html = (status: number): Reply => ({ status, headers: { 'content-type': 'text/html' }, body: '<html></html>' })
const SAID: readonly [what: string, reply: Reply][] = [
  ['a page with 405', html(405)],
  ['405 alone', { status: 405, headers: { 'content-type': 'text/plain' }, body: '' }],
  ['a page with 400', html(400)],
  ['a document with 400', { status: 400, headers: { 'content-type': 'application/xml' }, body: '<Error/>' }],
  ['nothing with 204', { status: 204, body: '' }],
]

it.each(SAID)('%s is no answer: another node is asked', async (_what, reply) => {
  const front = await startFront(2)
  const calls = [
    ['/ext/bc/P', 'platform.x', gorillaCall('platform.x')],
    ['/ext/bc/C/rpc', 'eth_x', evmCall('eth_x')],
  ] as const
  for (const [path, asked, call] of calls) {
    // Whichever is asked first says so.
    let first: number | undefined
    for (const [index, node] of front.nodes.entries())
      node.answer = ({ method }) => {
        if (method !== asked) return undefined
        first ??= index
        return first === index ? reply : undefined
      }
    const { status, text } = await front.post(path, call)
    expect([status, text]).toEqual([200, expect.stringContaining('"result"')])
  }
})

it('where nobody else is there, it is not taken for the node’s', async () => {
  const front = await startFront(1)
  for (const node of front.nodes) node.answer = ({ method }) => (method === 'platform.x' ? html(405) : undefined)
  const { status, text } = await front.post('/ext/bc/P', gorillaCall('platform.x'))
  expect([status, text]).toEqual([502, expect.stringContaining('no node answered')])
})
