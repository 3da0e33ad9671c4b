import { expect, it } from 'vitest'
import { startNodesAt } from '../stage.ts'

it('where a filter can go to no node but one that tells no height, no node answered: this server has made no mistake', async () => {
  const { stage, nodes } = await startNodesAt([100, 100], ({ height }, { method }) =>
    method === 'eth_newBlockFilter' ? '0xabc' : height === 0 ? null : `0x${height.toString(16)}`,
  )
  const [first, second] = nodes
  const id = await stage.call('eth_newBlockFilter')
  await first?.server.down()
  if (second) second.height = 0
  const changes = { jsonrpc: '2.0', id: 1, method: 'eth_getFilterChanges', params: [id] }
  const { status, text } = await stage.post(changes)
  expect([status, JSON.parse(text)]).toMatchObject([502, { error: { code: -32603, message: 'no node answered' } }])
})
