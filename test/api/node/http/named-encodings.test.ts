import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { evmCall, nodeAt, startFront } from '../fake-nodes.ts'

// A node reads a body as it comes, whatever Content-Encoding says: some clients send `identity`, or `utf-8`.

const PATH = '/ext/bc/C/rpc'

it.each(['identity', 'utf-8', 'gzip'])('money is sent once, whatever the header says (%s)', async (encoding) => {
  const front = await startFront(2)
  for (const node of front.nodes) node.answer = ({ method }) => (method === 'eth_sendTransaction' ? 'cut' : undefined)
  const one = evmCall('eth_sendTransaction', '[{"value":"0x1"}]')
  for (const body of [one, `[${one}]`]) {
    await front.post(PATH, body, { 'content-encoding': encoding })
    const sent = front.nodes.flatMap(({ asked }) => asked.splice(0)).filter(({ method }) => method?.includes('send'))
    expect(sent.length).toBe(1)
  }
})

it('nobody is asked to unpack a body', async () => {
  const front = await startFront(1)
  const packed = gzipSync(evmCall('eth_gasPrice'))
  const { status, text } = await front.post(PATH, packed, { 'content-encoding': 'gzip' })
  expect([status, text]).toEqual([200, '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}'])
  expect(nodeAt(front, 0).asked).toEqual([])
})
