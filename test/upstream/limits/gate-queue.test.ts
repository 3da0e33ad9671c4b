import { expect, test } from 'vitest'
import { createGateQueue, type Waiting } from '../../../src/upstream/limits/gate-queue.ts'

interface Named extends Waiting {
  name: string
}

const start = () => {
  const clock = { now: 1_000_000 }
  const queue = createGateQueue<Named>(() => clock.now)
  const add = (name: string, partOf?: object): Named => {
    const ticket = { name, partOf }
    queue.add(ticket)
    return ticket
  }
  const take = (count: number): string => Array.from({ length: count }, () => queue.take()?.name ?? '-').join(' ')
  return { queue, clock, add, take }
}

test('first come, first served while nobody waits for long', () => {
  const { queue, clock, add, take } = start()
  for (const name of ['a', 'b', 'c']) add(name)
  clock.now += 999
  add('d')
  expect(queue.size()).toBe(4)
  expect(take(5)).toBe('a b c d -')
  expect(queue.size()).toBe(0)
})

test('what is part of a reading that has begun comes before what would begin another', () => {
  const { queue, add, take } = start()
  const [one, other, sent] = [{}, {}, {}]
  add('one 1', one)
  add('other 1', other)
  add('alone')
  add('other 2', other)
  add('one 2', one)
  expect(take(2)).toBe('one 1 one 2')
  add('one 3', one)
  expect(take(4)).toBe('one 3 other 1 other 2 alone')
  queue.passed({ name: 'sent without a wait', partOf: sent })
  add('new')
  add('sent 2', sent)
  expect(take(2)).toBe('sent 2 new')
})

test('where they wait for long the newest go first, whole readings, and one of eight who waited longest', () => {
  const { clock, add, take } = start()
  const readings = Array.from({ length: 6 }, () => ({}))
  for (const [at, reading] of readings.entries()) add(`${at}a`, reading)
  for (const [at, reading] of readings.entries()) add(`${at}b`, reading)
  clock.now += 1_000
  expect(take(4)).toBe('5a 5b 4a 4b')
  add('new')
  expect(take(3)).toBe('new 3a 3b')
  for (let at = 0; at < 9; at++) add(`late ${at}`)
  expect(take(4)).toBe('late 8 late 7 late 6 0a')
  expect(take(3)).toBe('0b late 5 late 4')
})

test('once nobody waits for long any more the order is that of their coming again', () => {
  const { clock, add, take } = start()
  add('a')
  add('b')
  clock.now += 5_000
  expect(take(2)).toBe('b a')
  for (const name of ['c', 'd', 'e']) add(name)
  expect(take(3)).toBe('c d e')
})

test('what lasts longer than any reading has no precedence: an index reads on and on', () => {
  const { queue, clock, add, take } = start()
  const stream = {}
  queue.passed({ name: 'long ago', partOf: stream })
  clock.now += 10_001
  add('wallet')
  add('stream', stream)
  expect(take(2)).toBe('wallet stream')
})

test('who leaves is passed over wherever he stood, and may come again', () => {
  const { queue, clock, add, take } = start()
  const reading = {}
  const tickets = Array.from({ length: 100 }, (_, at) => add(String(at)))
  const first = add('first', reading)
  const second = add('second', reading)
  for (const ticket of tickets.slice(10)) expect(queue.remove(ticket)).toBe(true)
  expect(queue.remove(tickets[10] as Named)).toBe(false)
  queue.remove(first)
  queue.remove(second)
  expect(queue.size()).toBe(10)
  clock.now += 2_000
  expect(take(1)).toBe('9')
  add('again', reading)
  expect(take(2)).toBe('again 8')
  expect(queue.empty().map(({ name }) => name)).toEqual(['0', '1', '2', '3', '4', '5', '6', '7'])
  expect(take(1)).toBe('-')
})

test('thousands that come and leave keep no memory of those who went', () => {
  const { queue, clock, add, take } = start()
  add('stays')
  for (let at = 0; at < 100_000; at++) queue.remove(add(String(at), {}))
  clock.now += 2_000
  add('newest')
  expect(take(3)).toBe('newest stays -')
})

test('a reading of many calls has precedence for some of them, then each stands for itself', () => {
  const { queue, clock, add, take } = start()
  const scan = {}
  const wallet = {}
  for (let at = 0; at < 40; at++) add(`${at}`, scan)
  add('wallet 1', wallet)
  const first = Array.from({ length: 32 }, (_, at) => String(at)).join(' ')
  expect(take(32)).toBe(first)
  expect(take(1)).toBe('wallet 1')
  add('wallet 2', wallet)
  add('40', scan)
  expect(queue.size()).toBe(10)
  expect(take(3)).toBe('wallet 2 32 33')
  add('late')
  clock.now += 1_000
  // Where all wait for long, what is left of it comes last.
  expect(take(9)).toBe('late 34 35 36 37 38 39 40 -')
})

test('where they wait for long one of eight is of a long reading, and none more while others wait', () => {
  const { queue, clock, add, take } = start()
  const index = {}
  for (let at = 0; at < 32; at++) queue.passed({ name: String(at), partOf: index })
  for (let at = 0; at < 3; at++) add(`index ${at}`, index)
  for (let at = 0; at < 12; at++) add(`${at}`)
  expect(take(2)).toBe('index 0 index 1')
  clock.now += 1_000
  add('index 3', index)
  expect(take(8)).toBe('11 10 9 index 2 8 7 6 0')
  expect(take(8)).toBe('5 4 3 index 3 2 1 - -')
})

test('who leaves a reading that was taken apart is passed over', () => {
  const { queue, add, take } = start()
  const scan = {}
  const tickets = Array.from({ length: 35 }, (_, at) => add(String(at), scan))
  take(32)
  expect(queue.remove(tickets[33] as Named)).toBe(true)
  expect(queue.remove(tickets[33] as Named)).toBe(false)
  expect(queue.size()).toBe(2)
  expect(take(3)).toBe('32 34 -')
})

test('calls that were sent without a wait count, too', () => {
  const { queue, add, take } = start()
  const scan = {}
  for (let at = 0; at < 32; at++) queue.passed({ name: String(at), partOf: scan })
  add('wallet')
  add('32', scan)
  expect(take(2)).toBe('wallet 32')
})

test('a reading of which one has left in vain and the next one was sent without a wait has begun', () => {
  const { queue, add, take } = start()
  const reading = {}
  queue.remove(add('left', reading))
  queue.passed({ name: 'sent', partOf: reading })
  add('other')
  add('second', reading)
  expect(take(2)).toBe('second other')
})

test('what the others depend on comes first, however long they have waited', () => {
  const { queue, clock, add, take } = start()
  const reading = {}
  queue.passed({ name: 'sent', partOf: reading })
  for (let at = 0; at < 3; at++) add(String(at))
  queue.add({ name: 'height', urgent: true })
  add('second', reading)
  expect(take(2)).toBe('height second')
  clock.now += 2_000
  queue.add({ name: 'height again', urgent: true })
  add('new')
  expect(take(3)).toBe('height again new 2')
})

test('what comes of a reading while none of it waits has precedence together, and no longer than the rest of it', () => {
  const { queue, add, take } = start()
  const scan = {}
  queue.passed({ name: '0', partOf: scan })
  for (let at = 1; at < 40; at++) add(String(at), scan)
  add('wallet')
  take(31)
  expect(take(2)).toBe('wallet 32')
})

test('a long reading stays one, however often none of it waits', () => {
  const { queue, add, take } = start()
  const index = {}
  for (let at = 0; at < 32; at++) queue.passed({ name: String(at), partOf: index })
  for (let at = 0; at < 3; at++) {
    add(`index ${at}`, index)
    expect(take(1)).toBe(`index ${at}`)
  }
  add('wallet')
  add('index 3', index)
  expect(take(2)).toBe('wallet index 3')
})

test('a reading of which nothing was sent has not begun', () => {
  const { queue, add, take } = start()
  const reading = {}
  queue.remove(add('left', reading))
  add('other')
  add('second', reading)
  expect(take(2)).toBe('other second')
})
