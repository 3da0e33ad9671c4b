import { expect, it } from 'vitest'
import { createCatchUp } from '../../../../../src/api/node/forward/nodes/catch-up.ts'
import { gate } from '../../../../support/waiting/gate.ts'
import { startLateNode } from './late-node.ts'

const { signal } = new AbortController()

it.each([
  ['/ext/bc/P', 'platform.getHeight', 'platform.getUTXOs', {}],
  ['/ext/bc/X', 'avm.getHeight', 'avm.getBalance', {}],
  // What X exported to P.
  ['/ext/bc/X', 'avm.getHeight', 'platform.getUTXOs', { path: '/ext/bc/P', more: { sourceChain: 'X' } }],
])('where who told a height is gone, one that is about to have it is waited for: %s, %s, %s', async (...row) => {
  const [path, height, state, over] = row
  const early = gate()
  const { first, ask, arrive } = await startLateNode({ path, height, state }, { onAsked: early.open })
  first.answer = () => 'cut'
  const answer = ask(state, over)
  await early.opened
  arrive()
  expect(await answer).toContain('new')
  expect(await ask(height)).toContain('"101"')
})

it('a node that was waited for in vain is not waited for by the next ones, until it is worth a try', async () => {
  let now = 1_000
  let looks = 0
  let lacking = true
  const catchUp = createCatchUp(
    () => {
      looks += 1
      now += 500
      return lacking
    },
    () => now,
  )
  expect(await catchUp('one', 'P', signal)).toBe(false)
  expect(looks).toBeGreaterThan(2)
  looks = 0
  expect(catchUp('one', 'P', signal)).toBe(false)
  expect(looks).toBe(1)
  now += 10_000
  const again = catchUp('one', 'P', signal)
  lacking = false
  expect(await again).toBe(true)
  // Who lacks nothing is not asked again.
  expect(catchUp('one', 'P', signal)).toBe(false)
})
