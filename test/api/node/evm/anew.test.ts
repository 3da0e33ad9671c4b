import { expect, it } from 'vitest'
import { type HighNode, startNodesAt } from './stage.ts'

it('of a chain that began anew behind the same address no old block is told, and its own number is', async () => {
  let age = 'a'
  const { stage, nodes } = await startNodesAt([100], (node, { method, params }) => {
    if (method === 'eth_blockNumber') return `0x${node.height.toString(16)}`
    const [number] = params as string[]
    return Number(number) <= node.height ? { number, hash: `0x${age.repeat(64)}` } : null
  })
  const [node] = nodes as [HighNode]
  const hashOf = async (number: string) =>
    ((await stage.call('eth_getBlockByNumber', [number, false])) as { hash: string } | null)?.hash.slice(0, 3)
  expect(await stage.call('eth_blockNumber', [])).toBe('0x64')
  expect([await hashOf('0x1'), await hashOf('0x5a')]).toEqual(['0xa', '0xa'])
  await node.server.down()
  age = 'b'
  node.height = 3
  await node.server.up()
  await expect.poll(() => stage.call('eth_blockNumber', []), { timeout: 20_000 }).toBe('0x3')
  expect([await hashOf('0x1'), await hashOf('0x5a')]).toEqual(['0xb', undefined])
})
