import { expect, test } from 'vitest'
import { createHeadHold } from '../../src/upstream/head-hold.ts'
import { createScheduler } from '../../src/upstream/scheduler.ts'
import type { Upstream } from '../../src/upstream/upstream.ts'

test('several answers that are held have one timer, and none once the heights are known', () => {
  const scheduler = createScheduler()
  const hold = createHeadHold(scheduler)
  const upstream = { lagging: () => false } as unknown as Upstream
  const told: string[] = []
  hold.begin()
  for (const value of ['a', 'b', 'c']) {
    const launch = hold.held<string>((_, __, settle) => {
      settle({ kind: 'answer', value, bytes: 1 })
      return () => undefined
    })
    launch(upstream, false, (outcome) => void told.push(outcome.kind === 'answer' ? outcome.value : outcome.kind))
  }
  expect([told, scheduler.size]).toEqual([[], 1])
  hold.known()
  expect([told, scheduler.size]).toEqual([['a', 'b', 'c'], 0])
})
