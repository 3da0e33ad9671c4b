import { expect, it } from 'vitest'
import { createChainTip } from '../../../../src/api/node/evm/read/chain-tip.ts'

function start() {
  const clock = { now: 1_000 }
  return { clock, tip: createChainTip({ maxLagBlocks: 3, head: () => undefined, now: () => clock.now }) }
}

it('a node lags with more blocks than are allowed, and for as long as its word is fresh', () => {
  const { clock, tip } = start()
  tip.saw('ahead', 100n)
  tip.saw('near', 97n)
  tip.saw('far', 96n)
  expect(['ahead', 'near', 'far', 'unknown'].map(tip.isBehind)).toEqual([false, false, true, false])
  clock.now += 10_000
  expect(tip.isBehind('far')).toBe(true)
  clock.now += 1
  expect(tip.isBehind('far')).toBe(false)
})

it('a height far above all others is a broken node', () => {
  const { tip } = start()
  tip.saw('one', 100n)
  tip.saw('one', 10_100n)
  expect(tip.mark()).toBe(10_100n)
  tip.reached(20_101n)
  tip.reached(10_099n)
  expect(tip.mark()).toBe(10_100n)
})

it('a chain was set back when no node has come up to the mark for a minute, not when it only stands still', () => {
  const { clock, tip } = start()
  tip.saw('one', 100n)
  clock.now += 50_000
  tip.saw('one', 100n)
  clock.now += 59_999
  tip.saw('two', 99n)
  expect([tip.wasSetBack(), tip.mark()]).toEqual([false, 100n])
  clock.now += 1
  expect([tip.wasSetBack(), tip.mark()]).toEqual([true, undefined])
  tip.saw('two', 99n)
  expect([tip.wasSetBack(), tip.mark()]).toEqual([false, 99n])
})
