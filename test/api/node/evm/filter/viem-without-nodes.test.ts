import { createPublicClient, http } from 'viem'
import { expect, it } from 'vitest'
import { gate } from '../../../../support/waiting/gate.ts'
import { nodeAt, startFront } from '../../fake-nodes.ts'

it('viem goes on with its filter when no node answered a poll', async () => {
  const front = await startFront(1)
  const node = nodeAt(front, 0)
  const [failed, told] = [gate(), gate()]
  const block = `0x${'7'.repeat(64)}`
  let made = 0
  let isDown = false
  node.answer = ({ method, body }) => {
    const id = /"id":(\d+)/.exec(body.toString())?.[1]
    const result = (value: unknown) => ({ body: `{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(value)}}\n` })
    if (isDown) return 'cut'
    if (method === 'eth_newBlockFilter' || method === 'eth_newFilter') {
      made += 1
      return result(`0x${String(made)}`)
    }
    if (method === 'eth_getFilterChanges') return result([{ blockHash: block, blockNumber: '0x64', topics: [] }])
    return undefined
  }
  const transport = http(`${front.url}/ext/bc/C/rpc`, { retryCount: 0 })
  const client = createPublicClient({ transport, pollingInterval: 10 })
  let errors = 0
  const unwatch = client.watchEvent({
    onLogs: () => {
      if (errors === 0) isDown = true
      else told.open()
    },
    onError: () => {
      errors += 1
      isDown = false
      failed.open()
    },
  })
  await failed.opened
  await told.opened
  unwatch()
  expect(made).toBe(1)
})
