import { expect, test } from 'vitest'
import { createScheduler } from '../../../src/upstream/calls/scheduler.ts'
import { createHeadHold } from '../../../src/upstream/health/head-hold.ts'
import type { Upstream } from '../../../src/upstream/upstream.ts'
import type { FaultServerOptions } from '../../support/upstream/fault-server.ts'
import { startTestPool } from '../../support/upstream/upstream-pool.ts'
import { gate } from '../../support/waiting/gate.ts'

test('several answers that are held have one timer, and none once the heights are known', () => {
  const scheduler = createScheduler()
  const hold = createHeadHold(scheduler)
  const upstream = { lagging: () => false, height: () => 7n } as unknown as Upstream
  const told: string[] = []
  hold.begin()
  for (const value of ['a', 'b', 'c']) {
    const launch = hold.held<string>((_, __, settle) => {
      settle({ kind: 'answer', value })
      return () => undefined
    })
    launch(upstream, false, (outcome) => void told.push(outcome.kind === 'answer' ? outcome.value : outcome.kind))
  }
  expect([told, scheduler.size]).toEqual([[], 1])
  hold.known()
  expect([told, scheduler.size]).toEqual([['a', 'b', 'c'], 0])
})

test('one that has the first block only is asked behind others, however long these take to tell their heights', async () => {
  const { opened, open } = gate()
  const parse = (height: unknown): bigint => BigInt(String(height))
  const headProbe = { path: '', method: 'height', params: [], parse, intervalMs: 60_000 }
  const begun = { answer: ({ method }: { method: string }) => (method === 'height' ? 0 : 'nothing') }
  const there: FaultServerOptions = {
    answer: ({ method }) => (method === 'height' ? 1_000 : 'seven'),
    faults: ({ body }) => (body.includes('height') ? { held: opened } : {}),
  }
  const { pool, servers } = await startTestPool([begun, there], {
    deps: { headProbe },
    spec: (_, priority) => ({ priority }),
  })
  const read = (n: number) => pool.rpc('', 'balance', [n])
  // The one that is held for, and those that come when nobody is held any more.
  for (let n = 0; n < 3; n += 1) expect(await read(n)).toBe('seven')
  open()
  await expect.poll(() => pool.status()[0]?.lagBlocks).toBe(1_000)
  expect(await read(3)).toBe('seven')
  await servers[1]?.down()
  expect(await read(4)).toBe('nothing')
})
