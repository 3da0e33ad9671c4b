import { expect, it } from 'vitest'
import { type HighNode, startNodesAt } from '../stage.ts'

const hex = (number: number): string => `0x${number.toString(16)}`

const start = () =>
  startNodesAt([100, 100], (node, { method, params }) => {
    if (method === 'eth_newFilter') return hex(node.height)
    if (method !== 'eth_getBlockByNumber') return hex(node.height)
    const [number] = params as string[]
    return Number(number) <= node.height ? { number, hash: `0x${'ab'.repeat(32)}` } : null
  })

it('a new filter is made at a node with the newest block that was shown: another would tell of it as of a new one', async () => {
  const { stage, nodes } = await start()
  const ahead = nodes[1] as HighNode
  expect(await stage.call('eth_newFilter', [{}])).toBe(hex(100))
  ahead.height = 101
  expect(await stage.call('eth_getBlockByNumber', [hex(101), false])).toMatchObject({ number: hex(101) })
  expect(await stage.call('eth_newFilter', [{}])).toBe(hex(101))
  await ahead.server.down()
  expect(await stage.call('eth_newFilter', [{}])).toBe(hex(100))
})
