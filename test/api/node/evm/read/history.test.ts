import { expect, it, onTestFinished, vi } from 'vitest'
import { createHistory } from '../../../../../src/api/node/evm/read/history.ts'
import type { NodeGroup } from '../../../../../src/api/node/forward/nodes/node-pools.ts'
import type { Endpoint } from '../../../../../src/api/node/routes/endpoint.ts'
import { DeadlineError } from '../../../../../src/errors.ts'

it('a node that does not say which blocks it has is not waited for again for each call of a batch', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const asked: string[] = []
  let isAway = true
  const nodeOf = (host: string) => ({
    host,
    path: () => '',
    pool: {
      rpc: async (_path: string, _method: string, [block]: [string]) => {
        asked.push(`${host} ${Number(block)}`)
        if (host === 'silent' && isAway) throw new DeadlineError('not in time')
        // Both began with block 5,000.
        return Number(block) < 5_000 ? null : {}
      },
    },
  })
  const members = [nodeOf('silent'), nodeOf('synced')]
  const group = { members: () => members, pool: { status: () => [] } } as unknown as NodeGroup
  const history = createHistory(
    () => 9_000n,
    () => undefined,
  )
  const learn = async (from: bigint): Promise<string[]> => {
    await history.learn(group, {} as Endpoint, from)
    return asked.splice(0)
  }
  expect(await learn(2_256n)).toEqual(['silent 1', 'synced 1', 'synced 2000'])
  expect(await learn(3_256n)).toEqual(['synced 3000'])
  expect(await learn(6_256n)).toEqual(['synced 6000'])
  expect(['silent', 'synced'].map((host) => history.mayLack(host, 3_000n))).toEqual([false, true])
  isAway = false
  vi.advanceTimersByTime(10_001)
  expect(await learn(3_256n)).toEqual(['silent 1', 'silent 3000'])
  expect(history.mayLack('silent', 3_000n)).toBe(true)
})

it.each(['foreign', 'absent'] as const)(
  'a node that has no logs of the chain is not waited for, nor trusted to have them: %s',
  async (why) => {
    const asked: string[] = []
    let lacks: readonly string[] = []
    const nodeOf = (host: string) => ({
      host,
      path: () => '',
      pool: {
        rpc: async (_path: string, _method: string, [block]: [string]) => {
          asked.push(`${host} ${Number(block)}`)
          return lacks.includes(host) && Number(block) < 5_000 ? null : {}
        },
      },
    })
    const members = ['other', 'synced', 'restored'].map(nodeOf)
    const status = [
      { host: 'other', absent: why === 'absent', foreign: why === 'foreign' },
      { host: 'synced', absent: false, foreign: false },
      { host: 'restored', absent: false, foreign: false },
    ]
    const group = { members: () => members, pool: { status: () => status } } as unknown as NodeGroup
    const learned = async () => {
      const history = createHistory(
        () => 9_000n,
        () => undefined,
      )
      await history.learn(group, {} as Endpoint, 2_256n)
      return { asked: asked.splice(0), isLost: history.isLost(2_256n) }
    }
    lacks = ['synced', 'restored']
    // Its blocks are those of another chain: that it has the first one is no reason to look for logs there.
    expect(await learned()).toEqual({ asked: ['synced 1', 'restored 1', 'synced 2000', 'restored 2000'], isLost: true })
    lacks = ['synced']
    expect(await learned()).toEqual({ asked: ['synced 1', 'restored 1', 'synced 2000'], isLost: false })
  },
)

it('that a node has not got a block yet, which it has not reached, is not remembered as one that it began after', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const heights: Record<string, number> = { late: 8_000, synced: 9_000 }
  const nodeOf = (host: string) => ({
    host,
    path: () => '',
    pool: {
      // Both began with block 5,000.
      rpc: async (_path: string, _method: string, [block]: [string]) =>
        Number(block) < 5_000 || Number(block) > (heights[host] ?? 0) ? null : {},
    },
  })
  const members = ['late', 'synced'].map(nodeOf)
  const group = { members: () => members, pool: { status: () => [] } } as unknown as NodeGroup
  const history = createHistory(
    () => 9_000n,
    (host) => BigInt(heights[host] ?? 0),
  )
  const lacking = async (from: bigint): Promise<string[]> => {
    await history.learn(group, {} as Endpoint, from)
    return Object.keys(heights).filter((host) => history.mayLack(host, from))
  }
  expect(await lacking(8_900n)).toEqual(['late'])
  heights['late'] = 9_000
  vi.advanceTimersByTime(10_001)
  expect(await lacking(8_900n)).toEqual([])
  expect(await lacking(5_000n)).toEqual(['late', 'synced'])
  vi.advanceTimersByTime(10_001)
  expect(history.mayLack('late', 5_000n)).toBe(true)
})
