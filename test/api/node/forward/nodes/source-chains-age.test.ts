import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { ForwardCall } from '../../../../../src/api/node/forward/call.ts'
import type { NodeGroup } from '../../../../../src/api/node/forward/nodes/node-pools.ts'
import { createSourceChains } from '../../../../../src/api/node/forward/nodes/source-chains.ts'
import type { RawResponse } from '../../../../../src/upstream/index.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'] }))
afterEach(() => void vi.useRealTimers())

it('who said nothing, or that it does not run the chain, is asked again soon; who runs it, after minutes', async () => {
  const says: Record<string, boolean | undefined> = { runs: true, silent: undefined, starting: false }
  const asked: string[] = []
  const members = Object.keys(says).map((host) => ({
    host,
    pool: {
      rpc: async () => {
        asked.push(host)
        if (says[host] === undefined) throw new Error('no answer')
        return { isBootstrapped: says[host] }
      },
    },
  }))
  const sources = createSourceChains()
  const params = Buffer.from('{"sourceChain":"X"}')
  const call = { rule: { pages: true }, endpoint: { source: 'P' }, params } as unknown as ForwardCall
  const group = { members: () => members } as unknown as NodeGroup
  /** Whose answers count. */
  const believed = async (): Promise<string[]> => {
    const judge = await sources.judgeOf(call, group, () => ({ kind: 'answer' }))
    return Object.keys(says).filter((host) => judge?.({ host } as RawResponse).kind === 'answer')
  }
  const after = async (ms: number): Promise<void> => {
    vi.advanceTimersByTime(ms)
    // The cache looks at the clock again only in a later turn of the event loop.
    await sleep(5)
    asked.length = 0
  }
  expect(await believed()).toEqual(['runs', 'silent'])
  Object.assign(says, { silent: false, starting: true })
  await after(4_000)
  expect([await believed(), asked]).toEqual([['runs', 'silent'], []])
  await after(2_000)
  expect([await believed(), asked]).toEqual([
    ['runs', 'starting'],
    ['silent', 'starting'],
  ])
  await after(595_000)
  expect([await believed(), asked]).toEqual([
    ['runs', 'starting'],
    ['runs', 'silent'],
  ])
})
