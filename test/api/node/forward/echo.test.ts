import { expect, it, onTestFinished, vi } from 'vitest'
import { createEcho } from '../../../../src/api/node/forward/echo.ts'
import { evmCall, gorillaCall, nodeAt, startFront } from '../fake-nodes.ts'

/** Says so whenever it is asked by this method. */
async function nodeThatSays(message: string, asked: string) {
  const front = await startFront(1)
  const entry = `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":${JSON.stringify(message)}}}`
  nodeAt(front, 0).answer = ({ method, body }) =>
    method === asked ? { body: body[0] === 0x5b ? `[${entry}]` : `${entry}\n` } : undefined
  return { front, entry }
}

// Texts of AvalancheGo and of coreth; what a stranger sends must not make a node look limited, closed or broken.
it.each<[path: string, body: string, message: string]>([
  ['P', gorillaCall('platform.rateLimit'), `rpc: can't find method "platform.rateLimit"`],
  ['P', gorillaCall('platform.access forbidden'), `rpc: can't find method "platform.access forbidden"`],
  [
    'X',
    gorillaCall('avm.getBalance', '{"address":"Rate\\u0020limit exceeded-fuji1","assetID":"AVAX"}'),
    "problem parsing address 'Rate limit exceeded-fuji1': there is no ID with alias: Rate limit exceeded",
  ],
  [
    'X',
    gorillaCall('avm.getUTXOs', '{"addresses":["X-fuji1"],"sourceChain":"rate\\ud800limit"}'),
    'problem parsing source chainID "rate\ufffdlimit": there is no ID with alias: rate\ufffdlimit',
  ],
  [
    'P',
    gorillaCall('platform.getBlockchainStatus', '{"blockchainID":"a\\"token is invalid"}'),
    'problem parsing blockchainID "a\\"token is invalid": there is no ID with alias: a"token is invalid',
  ],
  ['C/rpc', evmCall('eth_quota'), 'the method eth_quota does not exist/is not available'],
  ['C/rpc', evmCall('API key invalid'), 'the method API key invalid does not exist/is not available'],
  ['C/rpc', `[${evmCall('eth_throttle')}]`, 'the method eth_throttle does not exist/is not available'],
])("what a node repeats of the caller's is no word about the node: %s %s", async (path, body, message) => {
  const { front, entry } = await nodeThatSays(message, /"method":"([^"]*)/.exec(body)?.[1] ?? '')
  // Often enough to pass over a node that is down.
  for (let time = 0; time < 6; time += 1) {
    const { status, text } = await front.post(`/ext/bc/${path}`, body)
    expect([status, text.trim()]).toEqual([200, body.startsWith('[') ? `[${entry}]` : entry])
  }
  expect((await front.post('/ext/bc/P', gorillaCall('platform.good'))).status).toBe(200)
})

it('a limit that the node tells of beside them is one', async () => {
  const { front } = await nodeThatSays('rate limit exceeded for platform.rateLimit', 'platform.rateLimit')
  expect((await front.post('/ext/bc/P', gorillaCall('platform.rateLimit'))).status).toBe(503)
})

it('a call of more than 128 KiB is not read for it, and counts as holding the words', () => {
  expect(createEcho(Buffer.alloc(131_072, 'a'))('rate limit')).toBe(false)
  expect(createEcho(Buffer.alloc(131_073, 'a'))('rate limit')).toBe(true)
})

it('a batch is read once for it, not once for each call whose words the node repeats', async () => {
  const front = await startFront(1)
  const ids = Array.from({ length: 300 }, (_, id) => id)
  const message = 'the method quota does not exist/is not available'
  const answer = ids.map((id) => `{"jsonrpc":"2.0","id":${id},"error":{"code":-32601,"message":"${message}"}}`).join()
  nodeAt(front, 0).answer = ({ body }) => (body.includes('"quota"') ? { body: `[${answer}]` } : undefined)
  const batch = `[${ids.map((id) => `{"jsonrpc":"2.0","id":${id},"method":"quota"}`).join()}]`
  const decode = vi.spyOn(Buffer.prototype, 'toString')
  onTestFinished(() => decode.mockRestore())
  expect((await front.post('/ext/bc/C/rpc', batch)).text).toBe(`[${answer}]`)
  const whole = decode.mock.contexts.filter(
    (bytes, time) => bytes.length === batch.length && decode.mock.calls[time]?.[1] === undefined,
  )
  expect(whole.length).toBeLessThan(5)
})
