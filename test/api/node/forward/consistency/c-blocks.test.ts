import { expect, it } from 'vitest'
import type { ChainTip } from '../../../../../src/api/node/evm/read/chain-tip.ts'
import { createCBlocks } from '../../../../../src/api/node/forward/consistency/c-blocks.ts'
import type { NodePools } from '../../../../../src/api/node/forward/nodes/node-pools.ts'

const { signal } = new AbortController()

/** @param heights of nodes, as they show them; undefined = the node does not run C */
function startBlocks(heights: Record<string, bigint | undefined>, mark = 100n) {
  const done: string[] = []
  const poolOf = (host: string) => ({ status: () => [{ host, absent: heights[host] === undefined }] })
  const hosts = Object.keys(heights)
  const members = hosts.map((host) => ({ host, pool: poolOf(host) }))
  const group = { hosts, members: () => members, pool: { status: () => [] } }
  const tip = {
    mark: () => mark,
    shown: (host: string) => heights[host],
    look: async ({ host }: { host: string }) => {
      done.push(`look at ${host}`)
      return (heights[host] ?? 0n) > 0n
    },
    reached: (host: string | undefined, height: bigint) => void done.push(`${host} has ${height}`),
    common: { reach: async (...[, , height]: [unknown, unknown, bigint]) => void done.push(`settled ${height}`) },
    mayLackNewest: (host: string) => (heights[host] ?? 0n) < mark,
  }
  const blocks = createCBlocks({
    pools: { group: () => group } as unknown as Pick<NodePools, 'group'>,
    tips: { of: () => tip as unknown as ChainTip, shown: () => undefined, onReset: () => undefined },
  })
  return { blocks, done }
}

it('a block that nobody was told of is told once the node that has it says so', async () => {
  const { blocks, done } = startBlocks({ one: 101n, two: 100n })
  await blocks.shown(101n, 'one', signal)
  expect(done).toEqual(['look at one'])
  expect(blocks.shown(100n, 'two', signal)).toBeUndefined()
})

it('a block that its node has not executed yet, or whose node is gone, is told once others have it', async () => {
  const { blocks, done } = startBlocks({ one: 100n, two: 100n })
  await blocks.shown(101n, 'one', signal)
  expect(done).toEqual(['look at one', 'settled 101', 'undefined has 101'])
})

it('a single node is asked nothing more', () => {
  const { blocks } = startBlocks({ one: 100n })
  expect(blocks.shown(101n, 'one', signal)).toBeUndefined()
})

it('a node that does not run C lacks no block of it', () => {
  const { blocks } = startBlocks({ one: 100n, late: 99n, other: undefined })
  expect(['one', 'late', 'other'].map(blocks.lacks)).toEqual([false, true, false])
})

it('who shows what came of its blocks says which it has, unless it is gone; what does not run C depends on none', async () => {
  const { blocks } = startBlocks({ one: 100n, gone: 0n, other: undefined })
  expect(await Promise.all(['one', 'gone', 'other', 'elsewhere'].map(blocks.look))).toEqual([true, false, true, true])
})
