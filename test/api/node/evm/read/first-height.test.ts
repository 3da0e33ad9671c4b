import { expect, it } from 'vitest'
import { startNodesAt } from '../stage.ts'

const hex = (number: number): string => `0x${number.toString(16)}`
const BROKEN = 1_000_000

it('a height far above those of two others, who agree, counts for nobody, though it was the first that was ever told', async () => {
  const { stage } = await startNodesAt([BROKEN, 100, 100], ({ height }) => hex(height))
  for (let time = 0; time < 5; time++) expect(await stage.call('eth_blockNumber')).toBe(hex(100))
  for (let time = 0; time < 5; time++)
    expect(await stage.call('eth_getBalance', [`0x${'1'.repeat(40)}`, 'latest'])).toBe(hex(100))
})

it('nor longer than until the two others have told theirs', async () => {
  const { stage, nodes } = await startNodesAt([BROKEN, 100, 100], ({ height }) => hex(height))
  const others = nodes.slice(1).map(({ server }) => server)
  for (const server of others) server.set({ rateLimited: { retryAfterSeconds: 1 } })
  expect(await stage.call('eth_blockNumber')).toBe(hex(BROKEN))
  for (const server of others) server.set()
  await expect.poll(() => stage.call('eth_blockNumber')).toBe(hex(100))
  for (let time = 0; time < 5; time++) expect(await stage.call('eth_blockNumber')).toBe(hex(100))
})
