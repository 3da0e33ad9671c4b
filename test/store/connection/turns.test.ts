import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { CancelledError, DeadlineError } from '../../../src/errors.ts'
import type { Caller } from '../../../src/store/connection/caller.ts'
import { createTurns, type Purpose } from '../../../src/store/connection/turns.ts'
import { StoreUnavailableError } from '../../../src/store/errors.ts'

const MINUTE = 60_000

it('lets one in at a time, in the order of arrival, and forgets who waited too long', async () => {
  const turns = createTurns(1, 3)
  const done = await turns.take(1_000)
  const order: string[] = []
  const waiting = [1, 2].map(async (number) => {
    const end = await turns.take(60_000)
    order.push(`begin ${number}`)
    await Promise.resolve()
    order.push(`end ${number}`)
    end()
    end()
  })
  const late = turns.take(5)
  expect(turns.load).toEqual({ busy: 1, waiting: 3 })
  await expect(turns.take(1_000)).rejects.toThrow(StoreUnavailableError)
  await expect(late).rejects.toThrow(DeadlineError)
  done()
  await Promise.all(waiting)
  expect(order).toEqual(['begin 1', 'end 1', 'begin 2', 'end 2'])
  expect(turns.load).toEqual({ busy: 0, waiting: 0 })
})

/** Turns at a clock that the test moves; `come` notes who came in, and `leave` ends the turn of one. */
function staged(places: number, maxWaiting = 100) {
  let now = 0
  const turns = createTurns(places, maxWaiting, () => now)
  const inside: string[] = []
  const ends = new Map<string, () => void>()
  return {
    turns,
    inside,
    wait: (ms: number) => {
      now += ms
    },
    come(name: string, purpose: Purpose = 'read', caller?: Caller) {
      void turns.take(MINUTE, purpose, caller).then((end) => {
        inside.push(name)
        ends.set(name, end)
      })
    },
    leave: (name: string) => ends.get(name)?.(),
  }
}

it('lets as many in as there are places', async () => {
  const { turns, inside, come, leave } = staged(2)
  for (const name of ['a', 'b', 'c']) come(name)
  await nextTurn()
  expect([inside, turns.load]).toEqual([['a', 'b'], { busy: 2, waiting: 1 }])
  leave('b')
  await nextTurn()
  expect([inside, turns.load]).toEqual([['a', 'b', 'c'], { busy: 2, waiting: 0 }])
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
  const { turns, inside, come, leave } = staged(1, 1)
  for (const name of ['a', 'b']) come(name)
  await expect(turns.take(MINUTE)).rejects.toThrow('too many wait for the database')
  come('health', 'own')
  come('commit', 'work')
  await nextTurn()
  for (const name of ['a', 'health', 'b']) {
    leave(name)
    await nextTurn()
  }
  expect(inside).toEqual(['a', 'health', 'b', 'commit'])
})

/** Reads of clients that may leave. */
function readers(places: number, maxWaiting = 100) {
  const turns = createTurns(places, maxWaiting)
  const inside: string[] = []
  const refused: unknown[] = []
  const ends = new Map<string, () => void>()
  const leaving = new Map<string, AbortController>()
  return {
    turns,
    inside,
    refused,
    async come(client: string, name: string) {
      const leave = new AbortController()
      leaving.set(name, leave)
      turns.take(MINUTE, 'read', { clients: new Set([client]), signal: leave.signal }).then(
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
  const { turns, inside, come, end } = readers(10)
  for (let count = 0; count < 12; count++) await come('greedy', `greedy ${count}`)
  expect(turns.load).toEqual({ busy: 7, waiting: 5 })
  await come('other', 'other')
  expect(inside.at(-1)).toBe('other')
  await end('greedy 0')
  expect(inside.at(-1)).toBe('greedy 7')
  expect(turns.load).toEqual({ busy: 8, waiting: 4 })
})

it('of those that wait, whose client has least goes first, and what is nobody’s in particular before all', async () => {
  const { turns, inside, come, end } = readers(3)
  for (const name of ['a1', 'a2', 'a3']) await come('a', name)
  for (const name of ['b1', 'b2']) await come('b', name)
  expect(inside).toEqual(['a1', 'a2', 'b1'])
  void turns.take(MINUTE).then(() => inside.push('nobody’s'))
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
  const { turns, inside, refused, come, leave, end } = readers(1)
  for (const name of ['first', 'gone', 'last']) await come(name, name)
  await leave('gone')
  expect(refused).toEqual([expect.any(CancelledError)])
  expect(turns.load).toEqual({ busy: 1, waiting: 1 })
  await end('first')
  await leave('last')
  expect(inside).toEqual(['first', 'last'])
  await end('last')
  await expect(turns.take(MINUTE, 'read', { clients: new Set(['late']), signal: AbortSignal.abort() })).rejects.toThrow(
    CancelledError,
  )
  expect(turns.load).toEqual({ busy: 0, waiting: 0 })
})

it('one client takes no more than half of the line', async () => {
  const { turns, refused, come } = readers(1, 4)
  for (let count = 0; count < 4; count++) await come('greedy', `greedy ${count}`)
  expect([turns.load.waiting, refused]).toEqual([2, [expect.any(StoreUnavailableError)]])
  await come('other', 'other')
  expect([turns.load.waiting, refused.length]).toEqual([3, 1])
})

it('a read for several counts for whoever has least, also when he comes while it waits', async () => {
  const { turns, inside, come, end } = readers(10)
  for (let count = 0; count < 8; count++) await come('greedy', `greedy ${count}`)
  const clients = new Set(['greedy'])
  const shared = turns.take(MINUTE, 'read', { clients, signal: new AbortController().signal })
  void shared.then(() => inside.push('shared'))
  clients.add('other')
  await end('greedy 0')
  expect(inside.slice(7)).toEqual(['shared', 'greedy 7'])
  // It was in the place of the other: seven are those of the first, and there are three more.
  expect(turns.load).toEqual({ busy: 8, waiting: 0 })
  ;(await shared)()
  for (let count = 0; count < 8; count++) await come('other', `other ${count}`)
  expect(turns.load).toEqual({ busy: 10, waiting: 5 })
})

it('a read for several is refused when all of them have half of the line', async () => {
  const { turns, refused, come } = readers(1, 4)
  for (let count = 0; count < 3; count++) await come('greedy', `greedy ${count}`)
  const end = new AbortController()
  const take = (...clients: string[]) => turns.take(MINUTE, 'read', { clients: new Set(clients), signal: end.signal })
  await expect(take('greedy')).rejects.toThrow(StoreUnavailableError)
  const waiting = [take('greedy', 'other'), take()]
  expect([turns.load.waiting, refused]).toEqual([4, []])
  end.abort()
  for (const one of waiting) await expect(one).rejects.toThrow(CancelledError)
})
