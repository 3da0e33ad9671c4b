import { expect, it } from 'vitest'
import { type HighNode, startNodesAt } from '../stage.ts'

// Who was shown a block spends what came in it, and takes a refusal for a fact about the chain.

const SEND = 'eth_sendRawTransaction'
const L1 = '2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM'
const SENT = `0x${'7'.repeat(64)}`
const hex = (number: number): string => `0x${number.toString(16)}`

/** Two nodes at one height, of which the second is a block ahead once that was shown. */
async function showOfSecond(path: string) {
  const { stage, nodes } = await startNodesAt(
    [100, 100],
    (node, { method, params }) => {
      const [number] = params as string[]
      if (method === 'eth_blockNumber') return hex(node.height)
      if (method === 'eth_getBlockByNumber') return Number(number) <= node.height ? { number } : null
      return SENT
    },
    { evm: { [L1]: [] } },
  )
  const [late, ahead] = nodes as [HighNode, HighNode]
  late.server.set({
    rpcError: { code: -32000, message: 'insufficient funds for gas * price + value', methods: [SEND] },
  })
  expect(await stage.call('eth_blockNumber', [], path)).toBe(hex(100))
  ahead.height = 101
  expect(await stage.call('eth_getBlockByNumber', [hex(101), false], path)).toMatchObject({ number: hex(101) })
  return { stage, late, ahead }
}

it.each(['/ext/bc/C/rpc', `/ext/bc/${L1}/rpc`])(
  'a transaction goes to a node with the newest block that was shown: %s',
  async (path) => {
    const { stage, late } = await showOfSecond(path)
    expect(await stage.call(SEND, ['0x02f8aabbccdd'], path)).toBe(SENT)
    expect(late.server.stats.seen.filter(({ method }) => method === SEND)).toEqual([])
  },
)

it('where the node with the newest block is gone, a transaction goes to one without it', async () => {
  const { stage, late, ahead } = await showOfSecond('/ext/bc/C/rpc')
  await ahead.server.down()
  late.server.set()
  expect(await stage.call(SEND, ['0x02f8aabbccdd'])).toBe(SENT)
})
