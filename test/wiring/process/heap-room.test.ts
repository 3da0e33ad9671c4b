import { expect, it } from 'vitest'
import { createHeapRoom } from '../../../src/wiring/process/heap-room.ts'

const LIMIT = 1_000
/** Sixty percent may live, so more than eighty are never in use: V8 would have collected at least once on the way. */
function stage(maxPercent = 60) {
  const world = { used: 0, collect: () => {}, second: () => {} }
  const room = createHeapRoom(maxPercent, {
    limit: LIMIT,
    used: () => world.used,
    watch: (onCollected, onSecond) => {
      world.collect = onCollected
      world.second = onSecond
      return () => {}
    },
  })
  const states = () => ({ tight: room.isTight(), full: room.isFull() })
  return { world, room, states }
}
const OPEN = { tight: false, full: false }
const TIGHT = { tight: true, full: false }
const FULL = { tight: true, full: true }

it('garbage does not count: only what is in use right after a collection lives', () => {
  const { world, room, states } = stage()
  world.used = 300
  world.collect()
  world.used = 790
  expect(states()).toEqual(OPEN)
  expect(room.lived()).toBe(0.3)
  world.used = 610
  world.collect()
  expect(states()).toEqual(TIGHT)
  world.used = 590
  world.collect()
  expect(states()).toEqual(OPEN)
})

it('is full where nobody was told of a collection yet: a burst is over within one turn of the event loop', () => {
  const { world, room, states } = stage()
  world.used = 801
  expect(states()).toEqual(FULL)
  world.used = 799
  expect(states()).toEqual(OPEN)
  expect([room.isFull(1), room.isFull(2)]).toEqual([false, true])
})

it('does not stay shut when nobody fills the heap and so V8 does not collect, and is shut again by the next collection', () => {
  for (const used of [700, 900]) {
    const { world, states } = stage()
    world.used = used
    world.collect()
    for (let second = 0; second < 5; second++) {
      expect(states().tight).toBe(true)
      world.second()
    }
    expect(states()).toEqual(OPEN)
    world.collect()
    expect(states().tight).toBe(true)
    world.used = 100
    world.collect()
    expect(states()).toEqual(OPEN)
  }
})

it('a long idle time before it fills up says nothing about the time after', () => {
  const { world, states } = stage()
  world.collect()
  for (let second = 0; second < 60; second++) world.second()
  world.used = 900
  expect(states()).toEqual(FULL)
  for (let second = 0; second < 4; second++) world.second()
  expect(states()).toEqual(FULL)
  world.second()
  expect(states()).toEqual(OPEN)
})

it('always has room when it is switched off', () => {
  const { world, states } = stage(0)
  world.used = LIMIT
  world.collect()
  expect(states()).toEqual(OPEN)
})

it('stays full for as long after the last collection as after the heap was found full', () => {
  const { world, room } = stage()
  world.used = 900
  expect(room.isFull()).toBe(true)
  for (let second = 0; second < 4; second++) world.second()
  world.collect()
  for (let second = 0; second < 4; second++) world.second()
  expect(room.isFull()).toBe(true)
  world.second()
  expect(room.isFull()).toBe(false)
})
