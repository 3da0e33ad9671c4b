import { expect, it } from 'vitest'
import { createCatchUp } from '../../../../../src/api/node/forward/nodes/catch-up.ts'
import { gate } from '../../../../support/waiting/gate.ts'
import { gorillaCall, nodeAt, startFront, told } from '../../fake-nodes.ts'

/** Of a client, which no probe uses. */
const ID = '777'
const { signal } = new AbortController()

it.each([
  ['/ext/bc/P', 'platform.getHeight', '/ext/bc/P', 'platform.getUTXOs', ''],
  ['/ext/bc/X', 'avm.getHeight', '/ext/bc/X', 'avm.getBalance', ''],
  // What X exported to P.
  ['/ext/bc/X', 'avm.getHeight', '/ext/bc/P', 'platform.getUTXOs', ',"sourceChain":"X"'],
])('where who told a height is gone, one that is about to have it is waited for: %s %s, %s', async (...row) => {
  const [path, height, other, state, more] = row
  const front = await startFront(2)
  const [late, first] = [nodeAt(front, 0), nodeAt(front, 1)]
  let [isLate, asked] = [true, 0]
  const early = gate()
  for (const node of front.nodes)
    node.answer = (call) => {
      const isBehind = isLate && node === late
      if (call.method === state) {
        if (isBehind) early.open()
        return told(call, { utxos: [isBehind ? 'old' : 'new'] })
      }
      if (call.method !== height) return undefined
      // So that the other one is asked, even where this one comes first.
      if (isBehind && call.body.includes(ID) && asked++ === 0) return 'cut'
      return told(call, { height: isBehind ? '100' : '101' })
    }
  const ask = async (method: string) => {
    const call = gorillaCall(method, `{"addresses":["x"]${more}}`, ID)
    return (await front.post(method === height ? path : other, call)).text
  }
  let seen = ''
  while (!seen.includes('101')) seen = await ask(height)
  first.answer = () => 'cut'
  const answer = ask(state)
  await early.opened
  isLate = false
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
