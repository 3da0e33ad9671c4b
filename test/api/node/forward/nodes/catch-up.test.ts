import { expect, it } from 'vitest'
import { createCatchUp } from '../../../../../src/api/node/forward/nodes/catch-up.ts'
import { gate } from '../../../../support/waiting/gate.ts'
import { type FakeNode, gorillaCall, nodeAt, refused, startFront, told } from '../../fake-nodes.ts'
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

it.each([
  ['platform.getTx', {}],
  ['platform.getBlockByHeight', { height: 101 }],
])('%s: that there is none is not believed of a node that lacks what was told', async (state, more) => {
  const front = await startFront(2)
  const [late, first] = [nodeAt(front, 0), nodeAt(front, 1)]
  for (const node of front.nodes)
    node.answer = (call) => {
      const isBehind = node === late
      // So that the other one is asked, even where this one comes first.
      if (call.method === 'platform.getHeight' && isBehind && call.body.includes(CLIENT_ID)) return 'cut'
      if (call.method === 'platform.getHeight') return told(call, { height: isBehind ? '100' : '101' })
      return call.method === state && node === late ? refused(call, 'not found') : undefined
    }
  const ask = (method: string, params: object) =>
    front.post('/ext/bc/P', gorillaCall(method, JSON.stringify(params), CLIENT_ID))
  let seen = ''
  while (!seen.includes('101')) seen = (await ask('platform.getHeight', {})).text
  first.answer = () => 'cut'
  expect([(await ask(state, more)).status, (await ask(state, more)).status]).toEqual([502, 502])
  late.answer = (call) =>
    call.method === 'platform.getHeight' ? told(call, { height: '101' }) : refused(call, 'not found')
  await expect.poll(async () => (await ask(state, more)).text).toContain('not found')
})

it('that there is no such thing is believed where a node says so that lacks nothing, whoever is late', async () => {
  for (const index of [0, 1]) {
    const front = await startFront(2)
    const late = nodeAt(front, index)
    for (const node of front.nodes)
      node.answer = (call) => {
        const isBehind = node === late
        // So that the other one is asked, even where this one comes first.
        if (call.method === 'platform.getHeight' && isBehind && call.body.includes(CLIENT_ID)) return 'cut'
        if (call.method === 'platform.getHeight') return told(call, { height: isBehind ? '100' : '101' })
        return call.method === 'platform.getTx' ? refused(call, 'not found') : undefined
      }
    const ask = async (method: string) =>
      (await front.post('/ext/bc/P', gorillaCall(method, '{"txID":"x"}', CLIENT_ID))).text
    let seen = ''
    while (!seen.includes('101')) seen = await ask('platform.getHeight')
    for (let time = 0; time < 3; time += 1) expect(await ask('platform.getTx')).toContain('not found')
  }
})

it('where who told it failed once, it is asked again before one counts that lacks it', async () => {
  const front = await startFront(2)
  const [late, first] = [nodeAt(front, 0), nodeAt(front, 1)]
  let fails = 0
  for (const node of front.nodes)
    node.answer = (call) => {
      const isBehind = node === late
      if (call.method === 'avm.getHeight' && isBehind && call.body.includes(CLIENT_ID)) return 'cut'
      if (call.method === 'avm.getHeight') return told(call, { height: isBehind ? '100' : '101' })
      if (call.method !== 'avm.getBalance') return undefined
      if (node === first && fails-- > 0) return 'cut'
      return told(call, { balance: isBehind ? 'old' : 'new' })
    }
  const ask = async (method: string) => (await front.post('/ext/bc/X', gorillaCall(method, '{}', CLIENT_ID))).text
  expect(await ask('avm.getHeight')).toContain('101')
  for (const _ of Array(2)) {
    fails = 1
    expect(await ask('avm.getBalance')).toContain('new')
  }
})

/** Nodes that lack what was told, and what is asked of them, on a clock of its own. */
function startPlace(lacking: Record<string, boolean>) {
  let time = 1_000
  let asked = 0
  const catchUp = createCatchUp(() => time)
  const lacks = (host: string): boolean => {
    time += 100
    return lacking[host] === true
  }
  return {
    /** @param hosts that answer, one after the other; the last one then answers all */
    ask: async (...hosts: string[]) => {
      const before = asked
      const place = { hosts: Object.keys(lacking), chain: 'P', lacks, answers: () => false, signal }
      const { host } = await catchUp(place, async () => {
        const at = Math.min(asked - before, hosts.length - 1)
        asked += 1
        return { host: hosts[at] ?? '' }
      })
      return [host, asked - before]
    },
    pass: (ms: number) => {
      time += ms
    },
  }
}

it('a node that was waited for in vain is not waited for by the next ones, until it is worth a try', async () => {
  const lacking = { one: true, gone: false }
  const { ask, pass } = startPlace(lacking)
  expect(await ask('one')).toEqual(['one', 1])
  expect(await ask('one')).toEqual(['one', 1])
  pass(10_000)
  const again = ask('one')
  lacking.one = false
  expect(await again).toEqual(['one', 2])
  // Who lacks nothing is not asked again.
  expect(await ask('one')).toEqual(['one', 1])
})

it('an answer from before its node had what was told is not taken for a newer one', async () => {
  const lacking = { one: true, two: true }
  const { ask } = startPlace(lacking)
  const answer = ask('one', 'one')
  // Between the question and the answer.
  lacking.one = false
  expect(await answer).toEqual(['one', 2])
})

it('is asked for again each time that another node has what was told, not more often', async () => {
  const lacking = { one: true, two: true, three: true }
  const { ask } = startPlace(lacking)
  const answer = ask('one', 'one', 'two')
  lacking.three = false
  setTimeout(() => {
    lacking.two = false
  })
  expect(await answer).toEqual(['two', 3])
  const { ask: askAnother } = startPlace({ one: true, two: false })
  expect(await askAnother('one')).toEqual(['one', 1])
})
