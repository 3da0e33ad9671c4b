import { expect, it } from 'vitest'
import { type Container, type ContainerSource, withShown } from '../../../src/services/containers/index.ts'

const containerAt = (index: bigint): Container => ({
  id: Buffer.alloc(32, Number(index)),
  bytes: Buffer.alloc(1),
  timestamp: '2024-01-01T00:00:00Z',
  index,
})

it('the newest container of each answer is heard of, and answers stay as they are', async () => {
  const bare: ContainerSource = {
    complete: async () => true,
    current: async () => true,
    byIndex: async (_index, at) => (at < 9n ? containerAt(at) : undefined),
    byId: async (_index, id) => (id === 'known' ? containerAt(3n) : undefined),
    lastAccepted: async () => containerAt(8n),
    range: async (_index, from, count) =>
      Array.from({ length: from < 9n ? count : 0 }, (_, at) => containerAt(from + BigInt(at))),
    size: async () => 1n,
    indexOf: async () => 3n,
  }
  const heard: string[] = []
  const source = withShown(bare, (index, { index: at }) => void heard.push(`${index} ${at}`))
  expect(await source.byIndex('P/block', 2n)).toEqual(containerAt(2n))
  expect(await source.byIndex('P/block', 9n)).toBeUndefined()
  expect(await source.byId('X/block', 'known')).toEqual(containerAt(3n))
  expect(await source.byId('X/block', 'other')).toBeUndefined()
  expect(await source.lastAccepted('C/block')).toEqual(containerAt(8n))
  expect(await source.range('P/block', 4n, 2)).toEqual([containerAt(4n), containerAt(5n)])
  expect(await source.range('P/block', 9n, 2)).toEqual([])
  expect(await source.indexOf('P/block', 'known')).toBe(3n)
  expect(heard).toEqual(['P/block 2', 'X/block 3', 'C/block 8', 'P/block 5'])
})
