import { encodeAbiParameters } from 'viem'
import { expect, it } from 'vitest'
import { DeadlineError, JsonRpcError } from '../../../src/errors.ts'
import { createContractNames } from '../../../src/indexer/evm/contract-names.ts'
import type { RpcReceipt } from '../../../src/indexer/evm/rpc-block.ts'
import type { UpstreamPool } from '../../../src/upstream/types.ts'

const HONEST = 'aa'.repeat(20)
const LOOPING = 'bb'.repeat(20)
const NAME = '0x06fdde03'

/** What a node with no bound of its own can run in the time that it is given. */
const AFFORDABLE = 100_000_000

/** A node that gives a call as much gas as it asks for, and one that names none without end. */
const boundless = {
  async rpc(_path: string, _method: string, params: readonly unknown[]) {
    const [{ to, data, gas }] = params as [{ to: string; data: string; gas?: string }]
    if (to === `0x${LOOPING}`) {
      if (gas === undefined || Number(gas) > AFFORDABLE) throw new DeadlineError('no answer in time')
      throw new JsonRpcError('out of gas', -32000)
    }
    if (data !== NAME) throw new JsonRpcError('execution reverted', 3)
    return encodeAbiParameters([{ type: 'string' }], ['Honest'])
  },
} as unknown as UpstreamPool

const transferOf = (contract: string) => ({
  address: `0x${contract}`,
  topics: [
    '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
    `0x${'1'.padStart(64, '0')}`,
    `0x${'2'.padStart(64, '0')}`,
  ],
  data: `0x${'3'.padStart(64, '0')}`,
})

it('a token whose name loops does not hold up the index in front of a node without a bound for gas', async () => {
  const receipts = [{ gasUsed: '0x5208', logs: [transferOf(LOOPING), transferOf(HONEST)] }] as unknown as RpcReceipt[]
  const names = await createContractNames(boundless, '').learn(receipts, AbortSignal.timeout(5_000))
  expect(Object.fromEntries(names)).toEqual({ [HONEST]: { name: 'Honest' }, [LOOPING]: {} })
})
