import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { createIndexInstruments, type IndexedStreamView } from '../../src/metrics/index-streams.ts'

const stream = (change: Partial<IndexedStreamView>): IndexedStreamView => ({
  name: 'testnet:P',
  phase: 'catching-up',
  height: 40n,
  tip: 100n,
  freshAtMs: 7_500,
  stalled: false,
  blocksPerSecond: 12.5,
  etaSeconds: 5,
  failures: 0,
  ...change,
})

it('shows height, tip, lag, rate, time left and state of each stream as it is when asked', async () => {
  const registry = new Registry()
  let streams = [stream({})]
  createIndexInstruments(
    registry,
    () => ({ role: 'leading', streams }),
    () => 10_000,
  )
  const lines = async () =>
    (await registry.metrics()).split('\n').filter((line) => !line.startsWith('#') && line !== '')
  const before = await lines()
  for (const line of [
    'firn_index_height{stream="testnet:P"} 40',
    'firn_index_tip{stream="testnet:P"} 100',
    'firn_index_lag_blocks{stream="testnet:P"} 60',
    'firn_index_lag_seconds{stream="testnet:P"} 2.5',
    'firn_index_blocks_per_second{stream="testnet:P"} 12.5',
    'firn_index_eta_seconds{stream="testnet:P"} 5',
    'firn_index_stalled{stream="testnet:P"} 0',
    'firn_index_state{stream="testnet:P",state="catching-up"} 1',
    'firn_index_state{stream="testnet:P",state="following"} 0',
    'firn_index_leading 1',
  ])
    expect(before).toContain(line)

  streams = [
    stream({ phase: 'blocked', height: undefined, freshAtMs: undefined, etaSeconds: undefined, stalled: true }),
  ]
  const after = await lines()
  expect(after).toContain('firn_index_stalled{stream="testnet:P"} 1')
  expect(after).toContain('firn_index_state{stream="testnet:P",state="blocked"} 1')
  // What is not known is not shown as 0.
  expect(after.some((line) => /^firn_index_(height|lag_|eta)/.test(line))).toBe(false)
})
