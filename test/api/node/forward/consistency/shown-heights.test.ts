import { expect, it } from 'vitest'
import type { ForwardCall } from '../../../../../src/api/node/forward/call.ts'
import { createLateNodes } from '../../../../../src/api/node/forward/consistency/late-nodes.ts'
import { heightCallOf } from '../../../../../src/api/node/forward/consistency/shown-block.ts'
import { createShownHeights } from '../../../../../src/api/node/forward/consistency/shown-heights.ts'
import type { NodeGroup, NodePools } from '../../../../../src/api/node/forward/nodes/node-pools.ts'
import { evmCall, gorillaCall, nodeAt, startFront, told } from '../../fake-nodes.ts'
import { createForwarderAlone } from '../forwarder-alone.ts'
import { CLIENT_ID, startLateNode } from '../nodes/late-node.ts'

it.each([
  ['/ext/bc/P', 'platform.getHeight', 'platform.getUTXOs'],
  ['/ext/bc/X', 'avm.getHeight', 'avm.getUTXOs'],
])('behind a height that was told nobody is shown the state of before: %s', async (path, height, utxos) => {
  for (const index of [0, 1]) {
    const { first, ask, arrive } = await startLateNode({ path, height, state: utxos }, { index })
    for (let round = 0; round < 5; round += 1) {
      expect(await ask(height)).toContain('"101"')
      expect(await ask(utxos)).toContain('new')
    }
    arrive()
    first.answer = () => 'cut'
    expect(await ask(utxos)).toContain('new')
  }
})

it('where who told it is gone, the others answer all the same', async () => {
  const front = await startFront(2)
  const [one, other] = [nodeAt(front, 0), nodeAt(front, 1)]
  one.answer = (call) => (call.method === 'platform.getHeight' ? told(call, { height: '101' }) : undefined)
  other.answer = (call) => (call.body.includes(CLIENT_ID) && call.method === 'platform.getHeight' ? 'cut' : undefined)
  expect((await front.post('/ext/bc/P', gorillaCall('platform.getHeight', '{}', CLIENT_ID))).text).toContain('101')
  one.answer = () => 'cut'
  other.answer = () => undefined
  expect((await front.post('/ext/bc/P', gorillaCall('platform.getHeight', '{}', CLIENT_ID))).text).toContain('100')
})

it('where one of several tells a height that cannot be, the others are asked as before', () => {
  const late: string[] = []
  const heights = createShownHeights({ note: (host) => void late.push(host), settle: () => undefined }, () => undefined)
  const members = ['one', 'two', 'three'].map((host) => ({ host }))
  const group = { pool: { head: () => 100n }, members: () => members } as unknown as NodeGroup
  const call = { endpoint: { path: '/ext/bc/P' }, rule: { target: 'any', shows: 'height' } } as unknown as ForwardCall
  const tell = (height: string) =>
    heights.note(call, group, {
      host: 'one',
      status: 200,
      headers: {},
      body: Buffer.from(`{"result":{"height":"${height}"}}`),
    })
  tell('100000000')
  expect(late).toEqual([])
  tell('101')
  expect(late).toEqual(['two', 'three'])
  // A chain that was reset stands lower.
  tell('50')
  expect(late).toHaveLength(2)
  heights.clear()
  tell('50')
  expect(late).toHaveLength(4)
})

it('a height that cannot be, told when none was known yet, counts no longer than until one is', () => {
  const late: string[] = []
  const heights = createShownHeights({ note: (host) => void late.push(host), settle: () => undefined }, () => undefined)
  let head: bigint | undefined
  const members = ['broken', 'one', 'two'].map((host) => ({ host }))
  const group = { pool: { head: () => head }, members: () => members } as unknown as NodeGroup
  const hear = (height: bigint, host: string) =>
    heights.heard({ height, asked: { endpoint: { path: '/ext/bc/P' } } } as never, group, host)
  expect([hear(100_000_000n, 'broken'), hear(100n, 'one')]).toEqual([true, false])
  head = 100n
  expect([hear(100n, 'one'), hear(99n, 'two'), hear(100_000_000n, 'broken')]).toEqual([true, false, false])
  expect(late).toEqual(['one', 'two', 'broken', 'two'])
})

/** A forwarder to two nodes, and what it tells their pool to avoid. */
function startForwarder(heights: { one: string; two: string }, path: string, method: string) {
  const begun: (() => void)[] = []
  let avoid: ((host: string) => boolean) | undefined
  const poolOf = (host: 'one' | 'two') => ({
    head: () => undefined,
    status: () => [],
    async exchange(_: object, options: { avoid: typeof avoid }) {
      avoid = options.avoid
      return { host, status: 200, headers: {}, body: Buffer.from(`{"result":{"height":"${heights[host]}"}}`) }
    },
    rpc: async () => ({ height: heights[host] }),
  })
  const hosts = ['one', 'two'] as const
  const pool = poolOf('one')
  const members = hosts.map((host) => ({ host, pool: poolOf(host), path: () => '' }))
  const group = { pool, path: () => '', hosts, members: () => members }
  const pools = { group: () => group, onReset: (listener: () => void) => void begun.push(listener) }
  const forwarder = createForwarderAlone({
    pools: pools as unknown as NodePools,
  })
  const endpoint = { path, dialect: 'gorilla', name: 'own', source: { blockchainId: 'own' } }
  const rule = { target: 'any', shows: method === 'own.getHeight' ? 'height' : undefined }
  const http = { method: 'POST', contentType: 'application/json', query: '', body: Buffer.from('{}') }
  return {
    forwarder,
    ask: () => forwarder.forward({ endpoint, rule, http, method } as unknown as ForwardCall),
    isAvoided: (host: string) => avoid?.(host),
    beginAnew: () => {
      for (const begin of begun) begin()
    },
  }
}

it('of a chain that was reset, those are passed over that have not what is told of it now', async () => {
  const heights = { one: '101', two: '101' }
  const { ask, isAvoided, beginAnew } = startForwarder(heights, '/ext/bc/own', 'own.getHeight')
  await ask()
  await expect.poll(() => isAvoided('two')).toBe(false)
  Object.assign(heights, { one: '50', two: '40' })
  await ask()
  expect(isAvoided('two')).toBe(false)
  beginAnew()
  await ask()
  expect(isAvoided('two')).toBe(true)
})

it('of a chain that began anew, nobody is passed over for what it lacked of the former one', async () => {
  const heights = { one: '101', two: '100' }
  const { forwarder, ask, isAvoided, beginAnew } = startForwarder(heights, '/ext/bc/P', 'platform.getBalance')
  forwarder.shown('P', 101n)
  await ask()
  expect([isAvoided('one'), isAvoided('two')]).toEqual([false, true])
  Object.assign(heights, { one: '5', two: '5' })
  beginAnew()
  await ask()
  expect([isAvoided('one'), isAvoided('two')]).toEqual([false, false])
})

it('behind a block that this server showed by itself, those are passed over that do not have it', async () => {
  const heights = { one: '101', two: '100' }
  const { forwarder, ask, isAvoided } = startForwarder(heights, '/ext/bc/P', 'platform.getBalance')
  forwarder.shown('P', 101n)
  await ask()
  expect([isAvoided('one'), isAvoided('two')]).toEqual([false, true])
  // Blocks of before change nothing.
  heights.one = '90'
  for (const height of [101n, 7n]) forwarder.shown('P', height)
  await ask()
  expect([isAvoided('one'), isAvoided('two')]).toEqual([false, true])
  heights.two = '101'
  await expect.poll(() => isAvoided('two')).toBe(false)
})

it('who shows the newest block lacks it no more, also while it hangs on the question for an earlier one', () => {
  const silent = { rpc: () => new Promise(() => undefined), head: () => undefined }
  const members = ['one', 'two'].map((host) => ({ host, pool: silent, path: () => '' }))
  const group = { pool: silent, members: () => members } as unknown as NodeGroup
  const late = createLateNodes()
  const heights = createShownHeights(late, () => undefined)
  const lacking = () => members.flatMap(({ host }) => (late.lacks(host) ? [host] : []))
  const shows = (height: bigint, host: string) => heights.heard({ height, asked: heightCallOf('P') }, group, host)
  shows(100n, 'one')
  expect(lacking()).toEqual(['two'])
  shows(101n, 'two')
  expect(lacking()).toEqual(['one'])
  shows(100n, 'one')
  expect(lacking()).toEqual(['one'])
  shows(101n, 'one')
  expect(lacking()).toEqual([])
})

it('what is kept while the tip stands still is not kept behind a height that was told', async () => {
  const front = await startFront(1, { node: { tipCacheMs: 600_000 } })
  let top = 100
  nodeAt(front, 0).answer = (call) => {
    if (call.method === 'platform.getUTXOs') return told(call, { utxos: [`of ${top}`] })
    // The pool's own look at the tip comes later than the client.
    return call.method === 'platform.getHeight'
      ? told(call, { height: call.body.includes(CLIENT_ID) ? `${top}` : '100' })
      : undefined
  }
  const ask = async (method: string) =>
    (await front.post('/ext/bc/P', gorillaCall(method, '{"addresses":["x"]}', CLIENT_ID))).text
  expect(await ask('platform.getUTXOs')).toContain('of 100')
  top = 101
  expect(await ask('platform.getUTXOs')).toContain('of 100')
  expect(await ask('platform.getHeight')).toContain('"101"')
  expect(await ask('platform.getUTXOs')).toContain('of 101')
})

it.each([
  ['/ext/bc/C/avax', 'avax.getUTXOs', '{"addresses":["x"],"sourceChain":"P"}'],
  ['/ext/bc/P', 'platform.getUTXOs', '{"addresses":["x"],"sourceChain":"C"}'],
])('nor is what depends on C kept behind a block of C that was told: %s', async (path, method, params) => {
  const front = await startFront(1, { node: { tipCacheMs: 600_000 } })
  let top = 100
  nodeAt(front, 0).answer = (call) => {
    if (call.method === method) return told(call, { utxos: [`of ${top}`] })
    // The pool's own look at the tip comes later than the client.
    return call.method === 'eth_getBlockByNumber' && call.body.includes('latest')
      ? told(call, { number: `0x${top.toString(16)}`, hash: '0x1', parentHash: '0x0', timestamp: '0x1' })
      : undefined
  }
  const ask = async () => (await front.post(path, gorillaCall(method, params, CLIENT_ID))).text
  const showC = async () =>
    (await front.post('/ext/bc/C/rpc', evmCall('eth_getBlockByNumber', '["latest",false]', CLIENT_ID))).text
  expect(await showC()).toContain('"0x64"')
  expect(await ask()).toContain('of 100')
  top = 101
  expect(await ask()).toContain('of 100')
  expect(await showC()).toContain('"0x65"')
  expect(await ask()).toContain('of 101')
})

it('what a node answered that lacks what was told, since nobody else did, is kept for no other client', async () => {
  const front = await startFront(2, { node: { tipCacheMs: 600_000 } })
  const [one, late] = [nodeAt(front, 0), nodeAt(front, 1)]
  let isGone = false
  for (const node of front.nodes)
    node.answer = (call) => {
      if (call.method === 'platform.getStake')
        return isGone && node === one ? 'cut' : told(call, { staked: node === one ? 'new' : 'old' })
      if (call.method !== 'platform.getHeight') return undefined
      if (node === late && call.body.includes(CLIENT_ID)) return 'cut'
      return told(call, { height: node === one ? '101' : '100' })
    }
  const ask = async (method: string) =>
    (await front.post('/ext/bc/P', gorillaCall(method, '{"addresses":["x"]}', CLIENT_ID))).text
  expect(await ask('platform.getHeight')).toContain('"101"')
  isGone = true
  expect(await ask('platform.getStake')).toContain('old')
  isGone = false
  expect(await ask('platform.getStake')).toContain('new')
})

it('a height of a minute ago is not told again to processes that start: the network may be another one since', () => {
  let time = 0
  const late = { note: () => undefined, settle: () => undefined }
  const heights = createShownHeights(
    late,
    () => undefined,
    () => time,
  )
  const group = { pool: { head: () => undefined }, members: () => [] } as unknown as NodeGroup
  heights.heard({ height: 7n, asked: heightCallOf('P') }, group)
  time = 30_000
  heights.heard({ height: 9n, asked: heightCallOf('X') }, group)
  expect([...heights.recent()].map(({ height }) => height)).toEqual([7n, 9n])
  time = 60_000
  expect([...heights.recent()].map(({ height }) => height)).toEqual([9n])
})
