import { describe, expect, it, onTestFinished } from 'vitest'
import { JsonRpcError } from '../../../../src/errors.ts'
import { createRewardReader } from '../../../../src/indexer/primary/p/reward-reader.ts'
import { createUpstreamPool } from '../../../../src/upstream/index.ts'
import type { UpstreamPool } from '../../../../src/upstream/types.ts'
import { startReplayNode } from '../../../support/replay-node/index.ts'
import { TEST_LIMITS } from '../../../support/upstream/upstream-pool.ts'
import { startLyingProxy } from '../../lying-proxy.ts'
import { recordedP } from '../recorded-p.ts'

const signal = new AbortController().signal

/** A node that says these things in turn, and then that nothing was paid. */
function saying(...errors: JsonRpcError[]) {
  let asked = 0
  const pool = {
    rpc: async () => {
      const error = errors[asked++]
      if (error) throw error
      return { utxos: [] }
    },
  } as unknown as UpstreamPool
  let now = 1_000
  return {
    reader: createRewardReader(pool, () => now),
    asked: () => asked,
    wait(ms: number) {
      now += ms
    },
  }
}

const proposals = async () =>
  (await recordedP()).blocks.filter(({ block }) => 'tx' in block && block.tx.unsignedTx.type === 'RewardValidatorTx')

const proposal = async () => {
  const [found] = await proposals()
  if (!found) throw new Error('no proposal was recorded')
  return found
}

describe('the reader of paid rewards', () => {
  it('goes on checking after an answer in trouble, which fails the page only', async () => {
    const { reader } = saying(new JsonRpcError('database closed', -32_000))
    const block = await proposal()
    await expect(reader.withRewards([block], signal)).rejects.toThrow('database closed')
    expect(await reader.withRewards([block], signal)).toEqual([{ ...block, paid: [] }])
  })

  it('asks no more for ten minutes where the method is not there: a node that has it may have been away', async () => {
    const { reader, asked, wait } = saying(
      new JsonRpcError(`rpc: can't find method "platform.getRewardUTXOs"`, -32_000),
    )
    const block = await proposal()
    expect(await reader.withRewards([block], signal)).toEqual([block])
    expect(await reader.withRewards([block], signal)).toEqual([block])
    expect(asked()).toBe(1)
    wait(600_000)
    expect(await reader.withRewards([block], signal)).toEqual([{ ...block, paid: [] }])
  })

  it.each([
    { says: 'of no rewards, since it lags', result: { numFetched: '0', utxos: [], encoding: 'hex' } },
    { says: 'what is none', result: { numFetched: '1', utxos: ['0x00'], encoding: 'hex' } },
  ])('asks another node where one tells $says', async ({ result }) => {
    const node = await startReplayNode()
    const other = await startLyingProxy(node.url, (truth, { body }) =>
      body.includes('getRewardUTXOs') ? Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, result })) : truth,
    )
    const pools = [[{ url: other.url }, { url: node.url, priority: 1 }], [{ url: node.url }]].map((specs) =>
      createUpstreamPool('recorded', specs, { ...TEST_LIMITS, hedgeMinMs: 0 }),
    )
    onTestFinished(async () => {
      for (const pool of pools) await pool.close()
      await other.stop()
      await node.stop()
    })
    const blocks = (await proposals()).slice(0, 20)
    const [both, alone] = await Promise.all(pools.map((pool) => createRewardReader(pool).withRewards(blocks, signal)))
    expect(other.lies).toBeGreaterThan(0)
    expect(alone?.filter(({ paid }) => paid && paid.length > 0)).not.toEqual([])
    expect(both).toEqual(alone)
  })
})
