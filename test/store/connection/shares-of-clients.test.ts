import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { CancelledError } from '../../../src/errors.ts'
import { createFairSemaphore } from '../../../src/store/connection/fair-semaphore.ts'
import { StoreUnavailableError } from '../../../src/store/errors.ts'

const MINUTE = 60_000

/** Reads of clients that may leave. */
function readers(places: number, maxWaiting = 100) {
  const semaphore = createFairSemaphore(places, maxWaiting)
  const inside: string[] = []
  const refused: unknown[] = []
  const ends = new Map<string, () => void>()
  const leaving = new Map<string, AbortController>()
  return {
    semaphore,
    inside,
    refused,
    async come(client: string, name: string) {
      const leave = new AbortController()
      leaving.set(name, leave)
      semaphore.acquire(MINUTE, 'read', { clients: new Set([client]), signal: leave.signal }).then(
        (end) => {
          inside.push(name)
          ends.set(name, end)
        },
        (error: unknown) => refused.push(error),
      )
      await nextTurn()
    },
    async end(name: string) {
      ends.get(name)?.()
      await nextTurn()
    },
    async leave(name: string) {
      leaving.get(name)?.abort()
      await nextTurn()
    },
  }
}

it('one client never has all places, however much it asks for', async () => {
  const { semaphore, inside, come, end } = readers(10)
  for (let count = 0; count < 12; count++) await come('greedy', `greedy ${count}`)
  expect(semaphore.load).toEqual({ busy: 7, waiting: 5 })
  await come('other', 'other')
  expect(inside.at(-1)).toBe('other')
  await end('greedy 0')
  expect(inside.at(-1)).toBe('greedy 7')
  expect(semaphore.load).toEqual({ busy: 8, waiting: 4 })
})

it('of those that wait, whose client has least goes first, and what is nobody’s in particular before all', async () => {
  const { semaphore, inside, come, end } = readers(3)
  for (const name of ['a1', 'a2', 'a3']) await come('a', name)
  for (const name of ['b1', 'b2']) await come('b', name)
  expect(inside).toEqual(['a1', 'a2', 'b1'])
  void semaphore.acquire(MINUTE).then(() => inside.push('nobody’s'))
  await come('c', 'c1')
  await end('a1')
  expect(inside.at(-1)).toBe('nobody’s')
  await end('a2')
  expect(inside.at(-1)).toBe('a3')
  await end('a3')
  expect(inside.at(-1)).toBe('c1')
  await end('b1')
  expect(inside.at(-1)).toBe('b2')
})

it('who has left waits no longer, and gets no turn', async () => {
  const { semaphore, inside, refused, come, leave, end } = readers(1)
  for (const name of ['first', 'gone', 'last']) await come(name, name)
  await leave('gone')
  expect(refused).toEqual([expect.any(CancelledError)])
  expect(semaphore.load).toEqual({ busy: 1, waiting: 1 })
  await end('first')
  await leave('last')
  expect(inside).toEqual(['first', 'last'])
  await end('last')
  await expect(
    semaphore.acquire(MINUTE, 'read', { clients: new Set(['late']), signal: AbortSignal.abort() }),
  ).rejects.toThrow(CancelledError)
  expect(semaphore.load).toEqual({ busy: 0, waiting: 0 })
})

it('one client takes no more than half of the line', async () => {
  const { semaphore, refused, come } = readers(1, 4)
  for (let count = 0; count < 4; count++) await come('greedy', `greedy ${count}`)
  expect([semaphore.load.waiting, refused]).toEqual([2, [expect.any(StoreUnavailableError)]])
  await come('other', 'other')
  expect([semaphore.load.waiting, refused.length]).toEqual([3, 1])
})

it('a read for several counts for whoever has least, also when he comes while it waits', async () => {
  const { semaphore, inside, come, end } = readers(10)
  for (let count = 0; count < 8; count++) await come('greedy', `greedy ${count}`)
  const clients = new Set(['greedy'])
  const shared = semaphore.acquire(MINUTE, 'read', { clients, signal: new AbortController().signal })
  void shared.then(() => inside.push('shared'))
  clients.add('other')
  await end('greedy 0')
  expect(inside.slice(7)).toEqual(['shared', 'greedy 7'])
  // It was in the place of the other: seven are those of the first, and there are three more.
  expect(semaphore.load).toEqual({ busy: 8, waiting: 0 })
  ;(await shared)()
  for (let count = 0; count < 8; count++) await come('other', `other ${count}`)
  expect(semaphore.load).toEqual({ busy: 10, waiting: 5 })
})

it('a read for several is refused when all of them have half of the line', async () => {
  const { semaphore, refused, come } = readers(1, 4)
  for (let count = 0; count < 3; count++) await come('greedy', `greedy ${count}`)
  const end = new AbortController()
  const take = (...clients: string[]) =>
    semaphore.acquire(MINUTE, 'read', { clients: new Set(clients), signal: end.signal })
  await expect(take('greedy')).rejects.toThrow(StoreUnavailableError)
  const waiting = [take('greedy', 'other'), take()]
  expect([semaphore.load.waiting, refused]).toEqual([4, []])
  end.abort()
  for (const one of waiting) await expect(one).rejects.toThrow(CancelledError)
})

it.each([[['greedy', 'other']], [['other', 'greedy']]])(
  'a read for several is let in for the one who has room, wherever he is named: %s',
  async (clients) => {
    const { semaphore, come } = readers(10)
    for (let count = 0; count < 7; count++) await come('greedy', `greedy ${count}`)
    await semaphore.acquire(MINUTE, 'read', { clients: new Set(clients), signal: new AbortController().signal })
    expect(semaphore.load).toEqual({ busy: 8, waiting: 0 })
  },
)

it('whose turn has come, or whose time is over, takes nobody else out of the line by leaving later', async () => {
  const semaphore = createFairSemaphore(1, 100)
  const take = (timeoutMs: number, from: AbortController) =>
    semaphore.acquire(timeoutMs, 'read', { clients: new Set(['one']), signal: from.signal })
  const [inside, late] = [new AbortController(), new AbortController()]
  const first = await semaphore.acquire(MINUTE)
  const soon = take(1, inside)
  first()
  const end = await soon
  const last = semaphore.acquire(MINUTE)
  await expect(take(1, late)).rejects.toThrow('the database was busy')
  // Timers of the same length run in the order in which they were set: that of the one inside would have run by now.
  expect(semaphore.load).toEqual({ busy: 1, waiting: 1 })
  for (const one of [late, inside]) {
    one.abort()
    expect(semaphore.load).toEqual({ busy: 1, waiting: 1 })
  }
  end()
  ;(await last)()
  expect(semaphore.load).toEqual({ busy: 0, waiting: 0 })
})
