import { expect, it } from 'vitest'
import { createChainTip } from '../../../../../src/api/node/evm/read/chain-tip.ts'
import type { Member, NodeGroup } from '../../../../../src/api/node/forward/nodes/node-pools.ts'
import { type Endpoint, PRIMARY } from '../../../../../src/api/node/routes/endpoint.ts'
import { startTestPool } from '../../../../support/upstream/upstream-pool.ts'
import { gate } from '../../../../support/waiting/gate.ts'
import { until } from '../../../../support/waiting/until.ts'

const C_RPC = PRIMARY.C.get('rpc') as Endpoint

function start() {
  const clock = { now: 1_000 }
  return {
    clock,
    tip: createChainTip({ maxLagBlocks: 3, head: () => undefined, holders: () => [], now: () => clock.now }),
  }
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
  tip.reached('one', 20_101n)
  tip.reached('one', 10_099n)
  expect(tip.mark()).toBe(10_100n)
})

it('a chain was set back when no node has come up to the mark for a minute, not when it only stands still', () => {
  const { clock, tip } = start()
  tip.saw('one', 100n)
  expect(tip.wasSetBack()).toBe(false)
  clock.now += 50_000
  tip.saw('one', 100n)
  // Nobody asks for an hour: then the one with the newest block fails.
  clock.now += 3_600_000
  tip.saw('two', 99n)
  expect([tip.wasSetBack(), tip.mark()]).toEqual([false, 100n])
  clock.now += 59_999
  expect([tip.wasSetBack(), tip.mark()]).toEqual([false, 100n])
  clock.now += 1
  expect([tip.wasSetBack(), tip.mark()]).toEqual([true, undefined])
  tip.saw('two', 99n)
  expect([tip.wasSetBack(), tip.mark()]).toEqual([false, 99n])
})

it('a node without the newest block is looked at ten times a second at most', () => {
  const { clock, tip } = start()
  const looks: string[] = []
  const member = (host: string) => ({ host, path: () => '/', pool: { rpc: async () => looks.push(host) } })
  const group = { members: () => ['one', 'two'].map(member) } as unknown as Parameters<typeof tip.mayLackNewest>[1]
  const endpoint = {} as Parameters<typeof tip.mayLackNewest>[2]
  const lack = () => ['one', 'two', 'three'].map((host) => tip.mayLackNewest(host, group, endpoint))
  expect(lack()).toEqual([false, false, false])
  tip.saw('one', 100n)
  for (let time = 0; time < 3; time++) expect(lack()).toEqual([false, true, true])
  clock.now += 99
  lack()
  expect(looks).toEqual(['two'])
  clock.now += 1
  lack()
  expect(looks).toEqual(['two', 'two'])
  tip.saw('two', 100n)
  tip.saw('one', 101n)
  expect(lack()).toEqual([false, true, true])
})

it('who showed the pool its height is known to have it, and nobody else', () => {
  const tip = createChainTip({ maxLagBlocks: 3, head: () => 100n, holders: (height) => [`a${height}`] })
  expect(tip.hasNewest('b')).toBe(false)
  expect([tip.hasNewest('a100'), tip.shown('a100'), tip.shown('b')]).toEqual([true, 100n, undefined])
})

it('a first height far above those of two who agree is given up, within a minute and if a node here has told it', () => {
  const { clock, tip } = start()
  tip.saw('broken', 1_000_000n)
  tip.saw('one', 100n)
  expect(tip.mark()).toBe(1_000_000n)
  tip.saw('two', 101n)
  expect([tip.mark(), tip.shown('broken')]).toEqual([101n, undefined])
  tip.saw('broken', 1_000_001n)
  expect([tip.mark(), tip.mayLackNewest('broken', { members: () => [] } as never, {} as never)]).toEqual([101n, true])
  clock.now += 60_001
  tip.saw('one', 10_101n)
  expect(tip.mark()).toBe(10_101n)
  for (const host of ['two', 'three']) tip.saw(host, 100n)
  expect(tip.mark()).toBe(10_101n)
  const other = start().tip
  other.heard(undefined, 1_000_000n)
  for (const host of ['one', 'two', 'three']) other.saw(host, 100n)
  expect(other.mark()).toBe(1_000_000n)
})

it.each([
  ['who wants to know the tip of now is not told what a look found that began before', true, 2],
  ['who only wants to know whether a node is there shares a look under way', false, 1],
])('%s', async (_, fresh, calls) => {
  const { tip } = start()
  const held = gate()
  const { pool, servers } = await startTestPool([{ faults: { held: held.opened } }])
  const [server] = servers
  const group = { members: () => [{ host: 'two', pool, path: () => '/' }] } as unknown as NodeGroup
  const [member] = group.members()
  tip.saw('one', 100n)
  tip.mayLackNewest('two', group, C_RPC)
  await until(() => server?.stats.requests === 1, 'the look arrives')
  const looked = tip.look(member as Member, C_RPC, fresh)
  held.open()
  expect(await looked).toBe(true)
  expect(server?.stats.calls).toBe(calls)
})
