import { describe, expect, it } from 'vitest'
import { JsonRpcError } from '../../../../src/errors.ts'
import { createRewardReader } from '../../../../src/indexer/primary/p/reward-reader.ts'
import type { UpstreamPool } from '../../../../src/upstream/types.ts'
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

const proposal = async () => {
  const { blocks } = await recordedP()
  const found = blocks.find(({ block }) => 'tx' in block && block.tx.unsignedTx.type === 'RewardValidatorTx')
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
})
