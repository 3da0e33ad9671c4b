import { expect, it, onTestFinished } from 'vitest'
import { type FaultServer, startFaultServer } from '../../../../support/upstream/fault-server.ts'
import { gate } from '../../../../support/waiting/gate.ts'
import { until } from '../../../../support/waiting/until.ts'
import { startEvmStage } from '../stage.ts'

/** A front of this server that knows the tip, and counts the requests that have come since. */
async function startCounting(server: FaultServer) {
  const stage = await startEvmStage({ nodes: [server.url] })
  onTestFinished(async () => {
    await stage.close()
    await server.close()
  })
  await stage.call('eth_blockNumber')
  let arrived = 0
  stage.server.on('request', (request) => request.once('end', () => (arrived += 1)))
  return { stage, arrived: () => arrived }
}

it('what a server says of the bytes of one is told to nobody else who asks the same', async () => {
  const held = gate()
  const error = { code: -32700, message: 'parse error' }
  const isBroken = (body: string): boolean => body.endsWith('garbage')
  const server = await startFaultServer({
    faults: ({ body }) => (isBroken(body) ? { held: held.opened } : {}),
    // As providers that read the whole body: nodes pass over what comes behind a call.
    handle: (_, body) =>
      isBroken(body.toString()) ? { body: JSON.stringify({ jsonrpc: '2.0', id: null, error }) } : undefined,
    answer: () => '0x64',
  })
  const { stage, arrived } = await startCounting(server)
  const call = '{"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0x1","latest"]}'
  const stranger = stage.post(`${call}garbage`)
  await until(() => arrived() === 1, 'the first question')
  const other = stage.post(call)
  await until(() => arrived() === 2, 'both questions')
  held.open()
  expect(JSON.parse((await stranger).text)).toMatchObject({ error })
  expect(JSON.parse((await other).text)).toEqual({ jsonrpc: '2.0', id: 1, result: '0x64' })
})

const QUERY = '"method":"eth_getBalance","params":["0x1","latest"]'

it.each([
  ['words in an id', `{"jsonrpc":"2.0","id":"too many requests",${QUERY}}`, {}],
  ['words in another member', `{"jsonrpc":"2.0","id":9,"x":"too many requests",${QUERY}}`, {}],
  ['a long id', `{"jsonrpc":"2.0","id":"${'x'.repeat(5_000)}",${QUERY}}`, {}],
  ['a media type of its own', `{"jsonrpc":"2.0","id":1,${QUERY}}`, { 'content-type': 'application/json; charset=odd' }],
])('what comes of %s is told to nobody else who asks the same', async (_, asked, headers) => {
  const held = gate()
  let refused = 0
  const server = await startFaultServer({
    faults: ({ body }) => (body === asked ? { held: held.opened } : {}),
    handle: (request, body) => {
      const isOdd = request.headers['content-type']?.includes('odd')
      const text = body.toString()
      if (!isOdd && !/too many|xxxx/.test(text)) return undefined
      refused += 1
      const { id } = JSON.parse(text) as { id: unknown }
      if (isOdd) return { status: 415, body: 'unsupported charset' }
      return { body: JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32000, message: 'too many requests' } }) }
    },
    answer: () => '0x64',
  })
  const { stage, arrived } = await startCounting(server)
  const url = `${stage.url}/ext/bc/C/rpc`
  const stranger = fetch(url, {
    method: 'POST',
    body: asked,
    headers: { 'content-type': 'application/json', ...headers },
  })
  await until(() => arrived() === 1, 'the first question')
  const other = stage.post(`{"jsonrpc":"2.0","id":1,${QUERY}}`)
  await until(() => arrived() === 2, 'both questions')
  held.open()
  await (await stranger).text()
  expect(JSON.parse((await other).text)).toEqual({ jsonrpc: '2.0', id: 1, result: '0x64' })
  expect(refused).toBeGreaterThan(0)
})
