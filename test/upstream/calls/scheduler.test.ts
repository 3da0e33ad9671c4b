import { spawnSync } from 'node:child_process'
import { expect, test, vi } from 'vitest'
import { createScheduler } from '../../../src/upstream/calls/scheduler.ts'
import { until } from '../../support/waiting/until.ts'

test('runs in time, also what is added before the current wake-up, and nothing that was cancelled', async () => {
  const scheduler = createScheduler()
  const log: string[] = []
  const start = Date.now()
  scheduler.at(start + 60, () => log.push('late'))
  scheduler.at(start + 20, () => log.push('early'))
  const gone = scheduler.at(start + 30, () => log.push('cancelled'))
  scheduler.cancel(gone)
  scheduler.cancel(gone)
  await until(() => log.length === 2, 'both entries')
  expect(log).toEqual(['early', 'late'])
  expect(Date.now() - start).toBeGreaterThanOrEqual(60)
  expect(scheduler.size).toBe(0)
})

test('what came due during a standstill runs in the order of its times', async () => {
  const scheduler = createScheduler()
  const log: string[] = []
  const start = Date.now()
  for (const ms of [30, 10, 20]) scheduler.at(start + ms, () => log.push(`at ${ms}`))
  while (Date.now() < start + 40);
  await until(() => log.length === 3, 'all entries')
  expect(log).toEqual(['at 10', 'at 20', 'at 30'])
})

test('what waits does not wait for an hour more when the clock of the machine is set back by one', async () => {
  const scheduler = createScheduler()
  const log: string[] = []
  const clock = Date.now
  scheduler.at(clock() + 30, () => log.push('before'))
  const set = vi.spyOn(Date, 'now').mockImplementation(() => clock() - 3_600_000)
  scheduler.at(Date.now() + 40, () => log.push('after'))
  await until(() => log.length === 2, 'both entries').finally(() => set.mockRestore())
  expect(log).toEqual(['before', 'after'])
})

test('an entry may add and cancel others while it runs', async () => {
  const scheduler = createScheduler()
  const log: string[] = []
  const now = Date.now()
  scheduler.at(now + 5, () => {
    log.push('first')
    scheduler.cancel(second)
    scheduler.at(Date.now() + 5, () => log.push('third'))
  })
  const second = scheduler.at(now + 5, () => log.push('second'))
  await until(() => log.includes('third'), 'the entry added by an entry')
  expect(log).toEqual(['first', 'third'])
})

test('entries of one moment run in their order, whenever within a millisecond they were made', async () => {
  const scheduler = createScheduler()
  const log: number[] = []
  const at = Date.now() + 30
  for (let entry = 0; entry < 20; entry++) {
    const end = performance.now() + 0.4
    while (performance.now() < end);
    scheduler.at(at, () => log.push(entry))
  }
  await until(() => log.length === 20, 'all entries')
  expect(log).toEqual(log.toSorted((a, b) => a - b))
})

test('cancelled entries do not keep a process alive, live ones do', () => {
  const run = (code: string) =>
    spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', code], {
      timeout: 60_000,
      encoding: 'utf8',
    })
  const load = `import { createScheduler } from './src/upstream/calls/scheduler.ts'; const s = createScheduler();`
  const idle = run(`${load} s.cancel(s.at(Date.now() + 600000, () => {}))`)
  expect([idle.status, idle.signal]).toEqual([0, null])
  const busy = run(
    `${load} s.cancel(s.at(Date.now() + 50, () => {})); s.at(Date.now() + 300, () => console.log('ran'))`,
  )
  expect(busy.stdout).toBe('ran\n')
})
