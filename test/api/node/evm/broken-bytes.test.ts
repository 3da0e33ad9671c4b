import { expect, it, onTestFinished } from 'vitest'
import { startFaultServer } from '../../../support/fault-server.ts'
import { gate } from '../../../support/gate.ts'
import { until } from '../../../support/upstream-pool.ts'
import { startEvmStage } from './stage.ts'

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
  const stage = await startEvmStage({ nodes: [server.url] })
  onTestFinished(async () => {
    await stage.close()
    await server.close()
  })
  await stage.call('eth_blockNumber')
  let arrived = 0
  stage.server.on('request', (request) => request.once('end', () => (arrived += 1)))
  const call = '{"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0x1","latest"]}'
  const stranger = stage.post(`${call}garbage`)
  await until(() => arrived === 1, 'the first question')
  const other = stage.post(call)
  await until(() => arrived === 2, 'both questions')
  held.open()
  expect(JSON.parse((await stranger).text)).toMatchObject({ error })
  expect(JSON.parse((await other).text)).toEqual({ jsonrpc: '2.0', id: 1, result: '0x64' })
})
