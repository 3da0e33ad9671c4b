import { expect, it, onTestFinished } from 'vitest'
import { startFaultServer } from '../../../../support/upstream/fault-server.ts'
import { type HighNode, startEvmStage, startNodesAt } from '../stage.ts'

const L1 = '2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm'
const chainOf = (path: string): 'C' | 'L1' => (path.includes(L1) ? 'L1' : 'C')

it('of a chain that was reset behind the same address no old block is told, and its own number is', async () => {
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
  await expect.poll(() => stage.call('eth_blockNumber', [])).toBe('0x3')
  expect([await hashOf('0x1'), await hashOf('0x5a')]).toEqual(['0xb', undefined])
})

it('other chains of the same node go on: nobody is shown a lower block than before', async () => {
  const heights = { C: 100, L1: 50 }
  const server = await startFaultServer({ answer: ({ path }) => `0x${heights[chainOf(path)].toString(16)}` })
  const evm = { [L1]: [{ url: `${server.url}/ext/bc/${L1}/rpc` }] }
  const stage = await startEvmStage({ nodes: [server.url], evm })
  onTestFinished(async () => {
    await stage.close()
    await server.close()
  })
  const number = (chain: string) => stage.call('eth_blockNumber', [], `/ext/bc/${chain}/rpc`)
  expect([await number('C'), await number(L1)]).toEqual(['0x64', '0x32'])
  // Shown by an answer, before the next look at the tip.
  heights.C = 101
  expect(await number('C')).toBe('0x65')
  await server.down()
  Object.assign(heights, { C: 100, L1: 3 })
  await server.up()
  await expect.poll(() => number(L1).catch(String)).toBe('0x3')
  await expect.poll(() => number('C').catch(String)).toBe('0x65')
})
