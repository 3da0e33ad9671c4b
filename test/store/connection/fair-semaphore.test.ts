import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { DeadlineError } from '../../../src/errors.ts'
import type { Caller } from '../../../src/store/connection/caller.ts'
import { createFairSemaphore, type Purpose } from '../../../src/store/connection/fair-semaphore.ts'
import { StoreUnavailableError } from '../../../src/store/errors.ts'

const MINUTE = 60_000

it('lets one in at a time, in the order of arrival, and forgets who waited too long', async () => {
  const semaphore = createFairSemaphore(1, 3)
  const done = await semaphore.acquire(1_000)
  const order: string[] = []
  const waiting = [1, 2].map(async (number) => {
    const end = await semaphore.acquire(60_000)
    order.push(`begin ${number}`)
    await Promise.resolve()
    order.push(`end ${number}`)
    end()
    end()
  })
  const late = semaphore.acquire(5)
  expect(semaphore.load).toEqual({ busy: 1, waiting: 3 })
  await expect(semaphore.acquire(1_000)).rejects.toThrow(StoreUnavailableError)
  await expect(late).rejects.toThrow(DeadlineError)
  done()
  await Promise.all(waiting)
  expect(order).toEqual(['begin 1', 'end 1', 'begin 2', 'end 2'])
  expect(semaphore.load).toEqual({ busy: 0, waiting: 0 })
})

/** A semaphore at a clock that the test moves; `come` notes who came in, and `leave` ends the turn of one. */
function staged(places: number, maxWaiting = 100) {
  let now = 0
  const semaphore = createFairSemaphore(places, maxWaiting, () => now)
  const inside: string[] = []
  const ends = new Map<string, () => void>()
  return {
    semaphore,
    inside,
    wait: (ms: number) => {
      now += ms
    },
    come(name: string, purpose: Purpose = 'read', caller?: Caller) {
      semaphore.acquire(MINUTE, purpose, caller).then(
        (end) => {
          inside.push(name)
          ends.set(name, end)
        },
        // Who still waits when a test ends is refused a minute later, in the middle of another one.
        () => undefined,
      )
    },
    leave: (name: string) => ends.get(name)?.(),
  }
}

it('lets as many in as there are places', async () => {
  const { semaphore, inside, come, leave } = staged(2)
  for (const name of ['a', 'b', 'c']) come(name)
  await nextTurn()
  expect([inside, semaphore.load]).toEqual([['a', 'b'], { busy: 2, waiting: 1 }])
  leave('b')
  await nextTurn()
  expect([inside, semaphore.load]).toEqual([['a', 'b', 'c'], { busy: 2, waiting: 0 }])
})

it('lets the newest in first once one waits for long, and before them whoever comes again as he leaves', async () => {
  const { inside, wait, come, leave } = staged(1)
  for (const name of ['a', 'old', 'older than a second']) come(name)
  await nextTurn()
  wait(999)
  leave('a')
  await nextTurn()
  expect(inside).toEqual(['a', 'old'])
  come('middle')
  wait(1)
  come('new')
  leave('old')
  come('old, again')
  await nextTurn()
  expect(inside).toEqual(['a', 'old', 'old, again'])
  const left = ['old, again', 'new', 'middle', 'older than a second']
  for (const name of left) {
    leave(name)
    await nextTurn()
  }
  expect(inside).toEqual(['a', 'old', ...left])
})

it('lets questions of the process in before all others, and work in turns with reads', async () => {
  const { inside, wait, come, leave } = staged(1)
  come('first')
  come('a')
  come('commit 1', 'work')
  come('commit 2', 'work')
  wait(1_000)
  come('b')
  come('health', 'own')
  await nextTurn()
  const left = ['first', 'health', 'commit 1', 'b', 'commit 2', 'a']
  for (const name of left) {
    leave(name)
    // Its next range is ready: reads go on all the same.
    if (name === 'commit 1') come('commit 3', 'work')
    await nextTurn()
  }
  expect(inside).toEqual([...left, 'commit 3'])
})

it('lets reads have as much time as the last work had before there is more of it', async () => {
  const { inside, wait, come, leave } = staged(1)
  for (const name of ['commit 1', 'commit 2']) come(name, 'work')
  wait(1)
  for (const name of ['a', 'b', 'c', 'd']) come(name)
  for (const name of ['commit 1', 'a', 'b', 'c', 'commit 2', 'd']) {
    await nextTurn()
    expect(inside.at(-1)).toBe(name)
    wait(name.startsWith('commit') ? 500 : 200)
    leave(name)
  }
})

it('work goes on as the last ends where nobody reads, and a request’s next read before it where reads are owed time', async () => {
  const { inside, wait, come, leave } = staged(1)
  const isIn = async (...names: string[]) => {
    await nextTurn()
    expect(inside.splice(0)).toEqual(names)
  }
  come('commit 1', 'work')
  come('commit 2', 'work')
  wait(500)
  await isIn('commit 1')
  leave('commit 1')
  await isIn('commit 2')
  come('first of a request')
  come('commit 3', 'work')
  wait(500)
  leave('commit 2')
  await isIn('first of a request')
  wait(10)
  leave('first of a request')
  come('commit 4', 'work')
  come('second of a request')
  await isIn('second of a request')
  wait(10)
  leave('second of a request')
  await isIn('commit 3')
})

it('lets clients and the process in by turns once one waits for long, though the process always comes again as it leaves', async () => {
  const { inside, wait, come, leave } = staged(1)
  const comeFor = (client: string) =>
    come(client, 'read', { clients: new Set([client]), signal: new AbortController().signal })
  come('index 1')
  for (const client of ['a', 'b', 'c']) comeFor(client)
  wait(1_000)
  const left = ['index 1', 'c', 'index 2', 'b', 'index 3', 'a']
  for (const name of left) {
    await nextTurn()
    leave(name)
    const [, number] = name.split('index ')
    if (number) come(`index ${Number(number) + 1}`)
  }
  await nextTurn()
  expect(inside).toEqual([...left, 'index 4'])
})

it('keeps the order of arrival between reads and work while the wait is short', async () => {
  const { inside, come, leave, wait } = staged(1)
  const left = ['a', 'b', 'commit', 'c']
  for (const name of left) {
    come(name, name === 'commit' ? 'work' : 'read')
    wait(1)
  }
  await nextTurn()
  for (const name of left) {
    leave(name)
    await nextTurn()
  }
  expect(inside).toEqual(left)
})

it('refuses reads when too many wait, and nothing else', async () => {
  const { semaphore, inside, come, leave } = staged(1, 1)
  for (const name of ['a', 'b']) come(name)
  await expect(semaphore.acquire(MINUTE)).rejects.toThrow('too many wait for the database')
  come('health', 'own')
  come('commit', 'work')
  await nextTurn()
  for (const name of ['a', 'health', 'b']) {
    leave(name)
    await nextTurn()
  }
  expect(inside).toEqual(['a', 'health', 'b', 'commit'])
})

it('lets work in at once where nobody waits, however long the last work has taken', async () => {
  const { inside, wait, come, leave } = staged(2)
  come('commit 1', 'work')
  await nextTurn()
  come('commit beside it', 'work')
  await nextTurn()
  expect(inside).toEqual(['commit 1', 'commit beside it'])
  wait(5_000)
  for (const name of ['commit 1', 'commit beside it']) leave(name)
  await nextTurn()
  come('commit 2', 'work')
  await nextTurn()
  expect(inside.at(-1)).toBe('commit 2')
})

it('lets reads have as much time as the last work had where they wait for long, too', async () => {
  const { inside, wait, come, leave } = staged(1)
  come('commit 1', 'work')
  for (const name of ['a', 'b', 'c', 'd']) come(name)
  come('commit 2', 'work')
  wait(5_000)
  for (const name of ['commit 1', 'd', 'c', 'b', 'commit 2', 'a']) {
    await nextTurn()
    expect(inside.at(-1)).toBe(name)
    if (!name.startsWith('commit')) wait(2_000)
    leave(name)
  }
})

it('keeps nobody else out for the reads of a client that has all the places that it may have', async () => {
  const { semaphore, inside, come } = staged(10)
  const client = { clients: new Set(['one']), signal: new AbortController().signal }
  for (let at = 0; at < 8; at++) come(`one ${at}`, 'read', client)
  await nextTurn()
  expect(semaphore.load).toEqual({ busy: 7, waiting: 1 })
  come('index 1')
  come('index 2')
  come('commit', 'work')
  await nextTurn()
  expect(inside.slice(7)).toEqual(['index 1', 'index 2', 'commit'])
  expect(semaphore.load).toEqual({ busy: 10, waiting: 1 })
})

it.each([0, 1_000])('lets no client have all places as another leaves, after a wait of %i ms', async (ms) => {
  const { semaphore, wait, come, leave } = staged(2)
  const client = { clients: new Set(['one']), signal: new AbortController().signal }
  come('commit', 'work')
  for (const name of ['one 1', 'one 2']) come(name, 'read', client)
  await nextTurn()
  wait(ms)
  leave('commit')
  await nextTurn()
  expect(semaphore.load).toEqual({ busy: 1, waiting: 1 })
  leave('one 1')
  await nextTurn()
  expect(semaphore.load).toEqual({ busy: 1, waiting: 0 })
})
