import { expect, it } from 'vitest'
import { JsonRpcError } from '../../../src/errors.ts'
import { compareL1Validator } from '../../../src/indexer/verify/same-l1-validator.ts'
import { EMPTY_ID, formatNodeId, idToCb58 } from '../../../src/lib/bytes/ids.ts'
import type { IndexReader } from '../../../src/store/index.ts'
import type { UpstreamPool } from '../../../src/upstream/types.ts'

const NODE = '00'.repeat(20)
const nobody = { threshold: 1, locktime: 0n, addresses: [] }
const validator = {
  ...{ validationId: EMPTY_ID, subnetId: EMPTY_ID, nodeId: NODE, publicKey: 'ab', weight: 2n, minNonce: 0n },
  ...{ startTime: 1n, endAccumulatedFee: 0n, remainingBalanceOwner: nobody, deactivationOwner: nobody, height: 1n },
}
const told = {
  ...{ subnetID: idToCb58(EMPTY_ID), nodeID: formatNodeId(NODE), publicKey: '0xab', balance: '0', minNonce: '0' },
  ...{ startTime: '1', remainingBalanceOwner: { ...nobody, locktime: '0' } },
  deactivationOwner: { ...nobody, locktime: '0' },
}

it.each([
  ['has another weight', '1', /the node has weight 1,/],
  ['does not have it', undefined, /the node does not have it/],
])('that the node %s is told though a block comes between any two looks', async (_, weight, difference) => {
  let height = 100n
  const next = async () => {
    height += 1n
    return { validator, height, balance: 0n }
  }
  const reader = { samples: { l1ValidatorFrom: next } } as unknown as IndexReader
  const rpc = async (_path: string, method: string) => {
    if (method === 'platform.getHeight') return { height: String(height) }
    if (weight === undefined) throw new JsonRpcError('fetching L1 validator "…" failed: not found', -32000)
    return { ...told, weight, height: String(height) }
  }
  const pool = { rpc, status: () => [] } as unknown as UpstreamPool
  const task = { reader, pool, name: 'recorded' }
  expect(await compareL1Validator(task, EMPTY_ID, 0, new AbortController().signal)).toEqual([
    expect.stringMatching(difference),
  ])
})
