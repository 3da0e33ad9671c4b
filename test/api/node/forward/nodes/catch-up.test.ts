import { expect, it } from 'vitest'
import { createCatchUp } from '../../../../../src/api/node/forward/nodes/catch-up.ts'
import { gate } from '../../../../support/waiting/gate.ts'
import { type FakeNode, gorillaCall, nodeAt, startFront, told } from '../../fake-nodes.ts'
import { CLIENT_ID, startLateNode } from './late-node.ts'

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

it('where the node that answers is late for long, another one that has what was told meanwhile is asked', async () => {
  const front = await startFront(3)
  const first = nodeAt(front, 0)
  const early = gate()
  let slow: FakeNode | undefined
  let isThere = false
  for (const node of front.nodes)
    node.answer = (call) => {
      const isTold = node === first || (isThere && node !== slow)
      if (call.method === 'avm.getHeight') return told(call, { height: isTold ? '101' : '100' })
      if (call.method !== 'avm.getBalance') return undefined
      slow ??= node
      early.open()
      return told(call, { balance: isTold ? 'new' : 'old' })
    }
  const ask = async (method: string) => (await front.post('/ext/bc/X', gorillaCall(method, '{}', CLIENT_ID))).text
  let seen = ''
  while (!seen.includes('101')) seen = await ask('avm.getHeight')
  first.answer = () => 'cut'
  const answer = ask('avm.getBalance')
  await early.opened
  isThere = true
  expect(await answer).toContain('new')
})

it('a node that was waited for in vain is not waited for by the next ones, until it is worth a try', async () => {
  let now = 1_000
  let looks = 0
  let lacking = true
  const catchUp = createCatchUp(
    (host) => {
      looks += 1
      now += 250
      return lacking && host !== 'gone'
    },
    () => now,
  )
  expect(await catchUp('one', ['one', 'gone'], 'P', signal)).toBe(false)
  expect(looks).toBeGreaterThan(2)
  looks = 0
  expect(catchUp('one', ['one', 'gone'], 'P', signal)).toBe(false)
  expect(looks).toBe(3)
  now += 10_000
  const again = catchUp('one', ['one', 'gone'], 'P', signal)
  lacking = false
  expect(await again).toBe(true)
  // Who lacks nothing is not asked again.
  expect(catchUp('one', ['one', 'gone'], 'P', signal)).toBe(false)
})
