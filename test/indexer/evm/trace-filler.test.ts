import { expect, it } from 'vitest'
import { JsonRpcError, UpstreamUnavailableError } from '../../../src/errors.ts'
import { createTraceFiller } from '../../../src/indexer/evm/trace-filler.ts'
import { mapBounded } from '../../../src/lib/waiting/map-bounded.ts'
import type { EvmTracesLater } from '../../../src/store/rows/index.ts'

const LACKING = new JsonRpcError('the method debug_traceBlockByNumber does not exist/is not available', -32_601)
const PRUNED = new JsonRpcError('required historical state unavailable (reexec=128)', -32_000)
const AWAY = new UpstreamUnavailableError('away')
const { signal } = new AbortController()
const name = 'testnet:C'
const MINUTE = 60_000

/** Blocks 1 to `count` are untraced; `faults` of heights, by a clock that is set. */
function begin(count: number, faults: Map<number, Error> = new Map()) {
  const left = new Set(Array.from({ length: count }, (_, at) => at + 1))
  const asked: number[] = []
  const filled: EvmTracesLater[] = []
  const state = { now: 0, together: 0, most: 0 }
  const filler = createTraceFiller({
    now: () => state.now,
    writer: {
      async untraced(stream, most, below) {
        expect(stream).toBe(name)
        const heights = [...left].filter((height) => below === undefined || height < below).slice(-most)
        return {
          blocks: heights.map((height) => ({ height: BigInt(height), blockId: `${height}` })),
          missing: BigInt(left.size),
        }
      },
      async fillTraces(_, traces) {
        filled.push(traces)
        for (let height = traces.from; height <= traces.to.height; height++) left.delete(Number(height))
      },
    },
    partiesOf: (blocks, atOnce) =>
      mapBounded(blocks, atOnce, async ({ height, id }) => {
        expect(id).toBe(`${height}`)
        asked.push(Number(height))
        state.together += 1
        state.most = Math.max(state.most, state.together)
        await new Promise(setImmediate)
        state.together -= 1
        state.now += 10
        const fault = faults.get(Number(height))
        if (fault) throw fault
        return ['aa', `b${height}`]
      }),
  })
  return { left, asked, filled, faults, state, filler, step: () => filler.step(name, signal) }
}

it('goes from the newest blocks down, two at once, and rests for as long as it worked', async () => {
  const { left, filled, filler, step, state } = begin(134)
  expect(await step()).toBe(640)
  expect(filler.notes()).toEqual(['what contracts sent is missing of up to 70 blocks: nodes are asked again'])
  expect(await step()).toBe(640)
  expect(await step()).toBe(100)
  expect(left.size).toBe(0)
  expect(filler.notes()).toEqual([])
  expect(await step()).toBe(MINUTE)
  expect(state.most).toBe(2)
  expect(filled.map(({ from, to }) => [from, to.height, to.blockId])).toEqual([
    [71n, 134n, '134'],
    [7n, 70n, '70'],
    [1n, 6n, '6'],
  ])
  // The first of the blocks in which somebody shows.
  expect(filled[2]?.participants).toEqual([
    { address: 'aa', height: 1n },
    ...[1, 2, 3, 4, 5, 6].map((height) => ({ address: `b${height}`, height: BigInt(height) })),
  ])
})

it('leaves nodes that do not trace alone for a minute, then for twice as long each time, until one does', async () => {
  const { left, asked, faults, step, filler } = begin(40)
  for (let height = 1; height <= 40; height++) faults.set(height, LACKING)
  for (const minutes of [1, 2, 4, 8, 16, 32, 64, 128, 256, 360, 360]) expect(await step()).toBe(minutes * MINUTE)
  expect(asked.length).toBeLessThan(11 * 3)
  expect(filler.notes()).toEqual(['what contracts sent is missing of up to 40 blocks: nodes are asked again'])
  faults.clear()
  while (left.size > 0) await step()
  faults.set(40, LACKING)
  left.add(40)
  expect(await step()).toBe(MINUTE)
})

it('fills what nodes still have the state of, and leaves them alone for what is older', async () => {
  const { left, asked, faults, step } = begin(100)
  for (let height = 1; height <= 60; height++) faults.set(height, PRUNED)
  let waited = 0
  while (waited < MINUTE) waited = await step()
  expect([...left]).toEqual(Array.from({ length: 60 }, (_, at) => at + 1))
  const { length } = asked
  left.add(101)
  expect(await step()).toBeLessThan(MINUTE)
  expect(left.has(101)).toBe(false)
  expect(asked.slice(length)).toEqual([101])
})

it('one block that nobody can trace keeps no other waiting, and is tried again', async () => {
  const { left, faults, step } = begin(50)
  faults.set(45, AWAY)
  const waits: number[] = []
  while (left.size > 1) waits.push(await step())
  expect(Math.max(...waits)).toBeLessThan(MINUTE)
  expect([...left]).toEqual([45])
  // All have been looked at; each time it fails it is given more time.
  while (waits.at(-1) !== MINUTE) waits.push(await step())
  expect([await step(), await step()]).toEqual([1_000, 2 * MINUTE])
  faults.clear()
  await step()
  expect(left.size).toBe(0)
})

it('blocks that come after one that nobody can trace are traced before the older ones, and fail like them', async () => {
  const { left, asked, faults, step } = begin(60)
  faults.set(60, AWAY)
  while (left.has(59)) await step()
  for (const height of [61, 62]) left.add(height)
  asked.length = 0
  await step()
  expect(asked).toEqual([61, 62])
  expect([left.has(61), left.has(62), left.has(58)]).toEqual([false, false, true])
  for (const height of [63, 64, 65]) left.add(height)
  faults.set(64, AWAY)
  while (left.has(63) || left.has(65)) await step()
  while (left.size > 2) await step()
  expect([...left]).toEqual([60, 64])
})

it('five blocks that nobody can trace, each among others, keep none of those waiting, nor make them come one by one', async () => {
  const { left, faults, step } = begin(100)
  for (const height of [10, 30, 50, 70, 90]) faults.set(height, AWAY)
  const waits: number[] = []
  while (left.size > 5) waits.push(await step())
  expect(Math.max(...waits)).toBeLessThan(MINUTE)
  expect(waits.length).toBeLessThan(80)
})

it('nodes that are away are left alone after four blocks', async () => {
  const { asked, faults, step } = begin(50)
  for (let height = 1; height <= 50; height++) faults.set(height, AWAY)
  expect([await step(), await step(), await step(), await step(), await step()]).toEqual([
    1_000,
    1_000,
    1_000,
    1_000,
    MINUTE,
  ])
  expect(asked.slice(-4)).toEqual([50, 49, 48, 47])
})

it('ends with its stream', async () => {
  const { faults, filler } = begin(3)
  for (let height = 1; height <= 3; height++) faults.set(height, AWAY)
  const ended = new AbortController()
  ended.abort(new Error('over'))
  await expect(filler.step(name, ended.signal)).rejects.toThrow('over')
})
