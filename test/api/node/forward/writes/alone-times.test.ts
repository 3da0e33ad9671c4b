import { expect, it, onTestFinished, vi } from 'vitest'
import { judgeRpc } from '../../../../../src/api/node/forward/judge.ts'
import type { Member, NodeGroup } from '../../../../../src/api/node/forward/nodes/node-pools.ts'
import { createAlone } from '../../../../../src/api/node/forward/writes/alone.ts'
import { type Endpoint, endpointByName } from '../../../../../src/api/node/routes/endpoint.ts'
import { DeadlineError, UpstreamUnavailableError } from '../../../../../src/errors.ts'

/** Nodes that each take so long to fail; what each was given is returned. Milliseconds. */
async function askSlow(...takes: readonly [ms: number, error: Error][]): Promise<{ given: number[]; failed: unknown }> {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const given: number[] = []
  const members = takes.map(([ms, error], at): Member => {
    const exchange: Member['pool']['exchange'] = async (_, options) => {
      given.push((options?.deadline ?? 0) - Date.now())
      vi.advanceTimersByTime(ms)
      throw error
    }
    return { host: `node${at}`, pool: { exchange } as Member['pool'], path: ({ path }) => path, pausedUntil: () => 0 }
  })
  const http = {
    method: 'POST',
    contentType: undefined,
    contentEncoding: undefined,
    query: '',
    body: undefined,
  } as const
  const call = {
    endpoint: endpointByName('C/rpc') as Endpoint,
    rule: { target: 'alone' as const },
    method: 'warp_getMessageAggregateSignature',
    params: undefined,
    id: undefined,
    http,
    signal: new AbortController().signal,
  }
  const asked = {
    call,
    judge: judgeRpc(undefined),
  }
  const failed = await createAlone()(asked, { members: () => members } as unknown as NodeGroup).catch((error) => error)
  return { given, failed }
}

const away = new UpstreamUnavailableError('away')

it('a call that runs alone has twenty seconds over all nodes', async () => {
  expect(await askSlow([15_000, away], [4_000, away], [0, away])).toEqual({
    given: [20_000, 5_000, 1_000],
    failed: away,
  })
})

it('a node that takes all the time is the last one asked', async () => {
  expect(await askSlow([20_000, away], [0, away])).toEqual({ given: [20_000], failed: away })
  const late = new DeadlineError('late')
  expect(await askSlow([15_000, late], [0, away])).toEqual({ given: [20_000], failed: late })
})
