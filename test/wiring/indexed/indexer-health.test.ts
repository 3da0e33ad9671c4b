import { expect, it } from 'vitest'
import type { StreamStatus } from '../../../src/indexer/index.ts'
import { UnhealthyError } from '../../../src/services/node-health/index.ts'
import { createIndexerCheck } from '../../../src/wiring/indexed/indexer-health.ts'

const stream = (change: Partial<StreamStatus>): StreamStatus => ({
  name: 'testnet:P',
  phase: 'following',
  height: 7n,
  tip: 7n,
  freshAtMs: 1,
  stalled: false,
  blocksPerSecond: 0,
  etaSeconds: undefined,
  failures: 0,
  error: undefined,
  notes: [],
  ...change,
})

const check = (change: Partial<StreamStatus>) =>
  createIndexerCheck({ status: () => ({ role: 'leading', streams: [stream(change)] }) })
const run = async (change: Partial<StreamStatus>) => check(change).run(new AbortController().signal)

it('tells what is worth knowing about a stream that is well', async () => {
  expect(await run({ notes: ['genesis inferred from the chain'] })).toEqual({
    role: 'leading',
    streams: { 'testnet:P': { phase: 'following', height: 7, tip: 7, notes: ['genesis inferred from the chain'] } },
  })
})

it.each([
  [{ stalled: true }, 'testnet:P is stalled'],
  [{ stalled: true, phase: 'failing', error: 'no answer' }, 'testnet:P is stalled: no answer'],
  [{ phase: 'blocked', error: 'unknown type id 99' }, 'testnet:P is blocked: unknown type id 99'],
] as const)('is unhealthy with %o', async (change, message) => {
  const failure: unknown = await run(change).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(UnhealthyError)
  expect(failure).toMatchObject({ message })
})
