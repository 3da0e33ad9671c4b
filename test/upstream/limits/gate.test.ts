import { expect, onTestFinished, test, vi } from 'vitest'
import { createScheduler } from '../../../src/upstream/calls/scheduler.ts'
import { createGate } from '../../../src/upstream/limits/gate.ts'
import { createRateBudget } from '../../../src/upstream/limits/rate-budget.ts'

const start = (options: { maxConcurrent?: number; maxWaiting?: number; rate?: number }) => {
  const scheduler = createScheduler()
  const gate = createGate({
    maxConcurrent: options.maxConcurrent ?? 100,
    maxWaiting: options.maxWaiting ?? 100,
    budget: createRateBudget(options.rate ?? 1_000_000),
    scheduler,
  })
  const log: string[] = []
  const ticket = (name: string, partOf?: object) => ({
    partOf,
    start: () => void log.push(name),
    refuse: (reason: string) => void log.push(`${name}: ${reason}`),
  })
  return { gate, log, ticket, scheduler }
}

test('first come, first served, never more than allowed at once', () => {
  const { gate, log, ticket } = start({ maxConcurrent: 2 })
  for (const name of ['a', 'b', 'c', 'd']) gate.enter(ticket(name), Date.now())
  expect(log).toEqual(['a', 'b'])
  expect(gate.room(Date.now())).toBe(false)
  gate.leave()
  gate.leave()
  expect(log).toEqual(['a', 'b', 'c', 'd'])
  expect(gate.active()).toBe(2)
})

test('a ticket taken back never starts; a full queue says no; those turned away are told why', () => {
  const { gate, log, ticket } = start({ maxConcurrent: 1, maxWaiting: 2 })
  const back = ticket('back')
  gate.enter(ticket('a'), Date.now())
  expect(gate.enter(back, Date.now())).toBe(true)
  expect(gate.enter(ticket('b'), Date.now())).toBe(true)
  expect(gate.enter(ticket('c'), Date.now())).toBe(false)
  gate.withdraw(back)
  gate.turnAway('breaker opened')
  gate.leave()
  expect(log).toEqual(['a', 'b: breaker opened'])
  expect(gate.active()).toBe(0)
})

test('a full queue in which the newest go first refuses the oldest for a newcomer, who is the next to be sent', () => {
  const { gate, log, ticket } = start({ maxConcurrent: 1, maxWaiting: 2 })
  for (const name of ['a', 'b', 'c']) gate.enter(ticket(name), Date.now())
  const before = performance.now()
  const clock = vi.spyOn(performance, 'now').mockReturnValue(before + 900)
  onTestFinished(() => clock.mockRestore())
  expect(gate.enter(ticket('too early'), Date.now())).toBe(false)
  clock.mockReturnValue(before + 1_100)
  expect(gate.enter(ticket('newest'), Date.now())).toBe(true)
  expect(gate.waiting()).toBe(2)
  gate.leave()
  expect(log).toEqual(['a', 'b: too many calls waiting', 'newest'])
})

test('waits for the rate budget, and leaves no timer behind', () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { gate, log, ticket, scheduler } = start({ rate: 50 })
  const now = Date.now()
  for (let count = 0; count < 53; count += 1) gate.enter(ticket(String(count)), now)
  expect(log.length).toBe(50)
  vi.advanceTimersByTime(59)
  expect(log.length).toBe(52)
  vi.advanceTimersByTime(2)
  expect(log.length).toBe(53)
  expect(gate.active()).toBe(53)
  expect(scheduler.size).toBe(0)
})

test('who waits for the rate budget and is taken back leaves no timer behind', () => {
  const { gate, ticket, scheduler } = start({ rate: 1 })
  const back = ticket('back')
  for (const one of [ticket('a'), back]) gate.enter(one, Date.now())
  expect(scheduler.size).toBe(1)
  gate.withdraw(back)
  expect(scheduler.size).toBe(0)
})

test('what belongs to a call that did not have to wait comes before what others begin', () => {
  const { gate, log, ticket } = start({ maxConcurrent: 1 })
  const reading = {}
  for (const one of [ticket('first', reading), ticket('other', {}), ticket('rest', reading)])
    gate.enter(one, Date.now())
  gate.leave()
  gate.leave()
  expect(log).toEqual(['first', 'rest', 'other'])
})

test('who comes after another was taken back waits no longer than the rate budget has it', () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { gate, log, ticket } = start({ rate: 1 })
  const back = ticket('back')
  for (const one of [ticket('a'), back]) gate.enter(one, Date.now())
  gate.withdraw(back)
  gate.enter(ticket('b'), Date.now())
  vi.advanceTimersByTime(1_100)
  expect(log).toEqual(['a', 'b'])
})

test('nobody overtakes those who wait for the rate budget, and there is no room meanwhile', () => {
  const { gate, log, ticket } = start({ rate: 1 })
  const now = Date.now()
  expect(gate.room(now)).toBe(true)
  gate.enter(ticket('a'), now)
  expect(gate.room(now)).toBe(false)
  gate.enter(ticket('b'), now)
  // There will be a token, and nobody has looked yet.
  expect(gate.room(now + 2_000)).toBe(false)
  gate.enter(ticket('c'), now + 2_000)
  expect(log).toEqual(['a'])
  gate.turnAway('gone')
  expect(log).toEqual(['a', 'b: gone', 'c: gone'])
})
