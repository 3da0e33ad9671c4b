import { expect, it } from 'vitest'
import { evmCall, startFront } from '../../fake-nodes.ts'

// A second node knows the transaction from the first, and would say that it is refused.
it.each([
  'eth_sendRawTransaction',
  'eth_sendRawTransactionSync',
  'eth_sendRawTransactionConditional',
  'eth_sendTransaction',
  'debug_setHead',
  'dev_addWithdrawal',
])('goes to one node once, also where a read would be asked twice: %s', async (sending) => {
  const front = await startFront(3, { upstream: { hedgeMinMs: 50 } as never })
  let sent = 0
  for (const node of front.nodes)
    node.answer = async ({ method }) => {
      if (method !== sending) return undefined
      sent += 1
      if (sent > 1) return { body: '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"already known"}}\n' }
      // Slow enough for a read to be hedged.
      await new Promise((resolve) => setTimeout(resolve, 500))
      return { body: '{"jsonrpc":"2.0","id":1,"result":"0x01"}\n' }
    }
  expect((await front.post('/ext/bc/C/rpc', evmCall(sending, '["0x02f8aabbccdd"]'))).text).toContain('"result":"0x01"')
  expect(sent).toBe(1)
})

it.each(['one', 'all'] as const)('finds the one node of six that runs the chain (%s)', async (writePolicy) => {
  const front = await startFront(6, { node: { writePolicy } })
  const last = front.nodes.at(-1)
  const body = 'API call rejected because chain is not done bootstrapping\n'
  for (const node of front.nodes)
    node.answer = ({ method }) => {
      if (method !== 'eth_sendRawTransaction') return undefined
      return node === last ? { body: '{"jsonrpc":"2.0","id":1,"result":"0x01"}\n' } : { status: 503, body }
    }
  const sent = await front.post('/ext/bc/C/rpc', evmCall('eth_sendRawTransaction', '["0x02f8aabbccdd"]'))
  expect(sent.text).toContain('"result":"0x01"')
})
