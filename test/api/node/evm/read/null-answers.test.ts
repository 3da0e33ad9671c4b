import { expect, it } from 'vitest'
import { startNodesAt } from '../stage.ts'

const OWNER = `0x${'1'.repeat(40)}`
/** Calls of which no node ever says that there is nothing. */
const CALLS: readonly [method: string, params: unknown[]][] = [
  ['eth_blockNumber', []],
  ['eth_chainId', []],
  ['eth_gasPrice', []],
  ['eth_getBalance', [OWNER, 'latest']],
  ['eth_getBalance', [OWNER, '0x5']],
  ['eth_getTransactionCount', [OWNER, 'latest']],
  ['eth_call', [{ to: OWNER }, 'latest']],
  ['eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x5' }]],
]

it.each(CALLS)('%s %j: null is no answer where another node has one; what all say is', async (method, params) => {
  for (const silent of [0, 1]) {
    const { stage, nodes } = await startNodesAt([100, 100], (node, call) =>
      call.method === method && node === nodes[silent] ? null : '0x64',
    )
    const batch = [{ jsonrpc: '2.0', id: 1, method, params }]
    expect(JSON.parse((await stage.post(batch)).text)).toMatchObject([{ result: '0x64' }])
    expect(await stage.call(method, params)).toBe('0x64')
  }
  const { stage } = await startNodesAt([100, 100], (_, call) => (call.method === method ? null : '0x64'))
  expect(await stage.call(method, params)).toBeNull()
})
