import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { UpstreamUnavailableError } from '../../../src/errors.ts'
import {
  createBootstrap,
  createChainCheck,
  createDatabaseCheck,
  createDiskCheck,
  createIndexCheck,
  createNetworkCheck,
  createRequestLedger,
  type HealthCheck,
  NotYetError,
  UnhealthyError,
  type UpstreamView,
} from '../../../src/services/node-health/index.ts'

const view = (host: string, more: Partial<UpstreamView> = {}): UpstreamView => ({
  host,
  healthy: true,
  breaker: 'closed',
  foreign: false,
  absent: false,
  pausedUntil: undefined,
  latencyMs: 4.2,
  errorRate: 0,
  height: 100n,
  lagBlocks: 0,
  ...more,
})
const poolOf = (...views: UpstreamView[]) => ({ name: 'node P', status: () => views })
const signal = new AbortController().signal
const run = async (check: HealthCheck) => check.run(signal)
const failureOf = async (check: HealthCheck): Promise<UnhealthyError> => {
  const error = await run(check).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof UnhealthyError)) throw new Error(`no UnhealthyError: ${String(error)}`)
  return error
}

const DEAD = view('dead:1', { healthy: false, breaker: 'open' })
const BEHIND = view('slow:2', { healthy: false, height: 80n, lagBlocks: 20 })

describe('a chain', () => {
  const chain = (views: UpstreamView[], height: () => Promise<bigint>, more = {}) =>
    createChainCheck({ name: 'P', tags: () => [], pools: () => [poolOf(...views)], height, ...more })

  it('tells its height and its upstreams in the shape of a node', async () => {
    const message = await run(chain([view('a:1'), BEHIND], async () => 100n))
    expect(message).toEqual({
      engine: {
        consensus: { lastAcceptedHeight: 100, timeSinceLastAccepted: expect.stringMatching(/^\d+m?s$/) },
        vm: null,
      },
      networking: {
        percentConnected: 0.5,
        upstreams: [
          { host: 'a:1', healthy: true, height: 100, lagBlocks: 0, latencyMs: 4 },
          { host: 'slow:2', healthy: false, height: 80, lagBlocks: 20, latencyMs: 4 },
        ],
      },
    })
  })

  it('keeps the highest tip: another upstream may be a block behind', async () => {
    let height = 100n
    const check = chain([view('a:1')], async () => height)
    await run(check)
    height = 99n
    expect(await run(check)).toMatchObject({ engine: { consensus: { lastAcceptedHeight: 100 } } })
  })

  it('follows a chain that was reset: no upstream has the old tip', async () => {
    const views = [view('a:1'), view('b:2')]
    let height = 100n
    const check = chain(views, async () => height)
    await run(check)
    height = 3n
    views[0] = view('a:1', { height: 3n })
    expect(await run(check)).toMatchObject({ engine: { consensus: { lastAcceptedHeight: 100 } } })
    views[1] = view('b:2', { height: 2n })
    expect(await run(check)).toMatchObject({ engine: { consensus: { lastAcceptedHeight: 3 } } })
  })

  it('fails with the words of the failure when nobody answers', async () => {
    const check = chain([DEAD], () => Promise.reject(new UpstreamUnavailableError('node P: no upstream answered')))
    const error = await failureOf(check)
    expect(error.message).toBe('engine: node P: no upstream answered')
    expect(error.details).toMatchObject({ networking: { percentConnected: 0 } })
  })

  it('fails when those that answer are behind what was seen', async () => {
    const error = await failureOf(chain([DEAD, BEHIND], async () => 80n))
    expect(error.message).toBe('networking: no healthy upstream: dead:1 (not answering), slow:2 (20 blocks behind)')
  })

  it('says of each what keeps it from serving', async () => {
    const paused = view('a:1', { healthy: false, pausedUntil: Date.now() + 1_000, lagBlocks: 1 })
    const foreign = view('b:2', { healthy: false, foreign: true, height: 1n, lagBlocks: 99 })
    const absent = view('c:3', { healthy: false, absent: true, lagBlocks: undefined })
    const check = createChainCheck({ name: 'P', tags: () => [], pools: () => [poolOf(paused, foreign, absent)] })
    expect((await failureOf(check)).message).toBe(
      'networking: no healthy upstream: a:1 (rate limited), b:2 (on another network), c:3 (serves nothing there)',
    )
  })

  it('says that it was reached, and only then', async () => {
    let reached = 0
    const onReached = () => void reached++
    await run(chain([DEAD], () => Promise.reject(new Error('down')), { onReached })).catch(() => undefined)
    expect(reached).toBe(0)
    await run(chain([view('a:1')], async () => 1n, { onReached }))
    expect(reached).toBe(1)
  })

  it('of public servers is asked only in doubt', async () => {
    let asked = 0
    const height = async () => BigInt(++asked)
    await run(chain([view('a:1')], height, { onlyInDoubt: true }))
    expect(asked).toBe(0)
    await run(chain([DEAD], height, { onlyInDoubt: true })).catch(() => undefined)
    expect(asked).toBe(1)
  })
})

describe('network', () => {
  it('counts hosts that answered, each once', async () => {
    const pools = [poolOf(view('a:1', { errorRate: 0.5 }), view('b:2')), poolOf(view('a:1', { errorRate: 0 }), DEAD)]
    expect(await run(createNetworkCheck(() => pools))).toEqual({ connectedPeers: 2, sendFailRate: 0.125 })
  })

  it('does not take for connected what was never asked', async () => {
    const check = createNetworkCheck(() => [poolOf(view('a:1', { latencyMs: undefined }), DEAD)])
    const error = await failureOf(check)
    expect(error.message).toBe('network layer is unhealthy reason: not connected to a minimum of 1 peer(s) only 0')
    expect(error.details).toEqual({ connectedPeers: 0, sendFailRate: 0 })
  })
})

describe('bootstrapped', () => {
  it('names the networks that are missing, and stays once it was there', async () => {
    const { check, expect: wait, reached } = createBootstrap()
    wait('P', 'primary')
    wait('X', 'primary')
    wait('index', 'other')
    const error = await failureOf(check)
    expect([error.message, error.details]).toEqual(['subnets not bootstrapped', ['primary', 'other']])
    for (const name of ['P', 'X', 'index']) reached(name)
    wait('P', 'primary')
    expect(await run(check)).toEqual([])
    wait('later', 'third')
    expect((await failureOf(check)).details).toEqual(['third'])
  })
})

describe('index', () => {
  it('is reached when every stream is current, and to be reached while one is not; one of another chain never is', async () => {
    const of = (name: string, more: object = {}) => ({
      name,
      height: 7n,
      currentAtMs: Date.now(),
      disowned: false,
      ...more,
    })
    let told = [of('mainnet:P')]
    let reached = 0
    const onReached = (): void => {
      reached += 1
    }
    const streams = ['mainnet:P', 'mainnet:X']
    const check = createIndexCheck({ streams, progress: async () => told, maxAgeMs: 60_000, onReached })
    expect((await failureOf(check)).message).toBe('mainnet:X is not indexed yet')
    told = [of('mainnet:P'), of('mainnet:X', { currentAtMs: Date.now() - 3_600_000 })]
    expect(await failureOf(check)).toBeInstanceOf(NotYetError)
    told = [of('mainnet:P'), of('mainnet:X', { disowned: true })]
    expect(await failureOf(check)).not.toBeInstanceOf(NotYetError)
    expect(reached).toBe(0)
    told = [of('mainnet:P'), of('mainnet:X')]
    expect(await run(check)).toMatchObject({ 'mainnet:X': { lastAcceptedHeight: 7 } })
    expect(reached).toBe(1)
  })
})

describe('diskspace', () => {
  it('measures the real disk, also of a folder that is not made yet', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'firn-disk-'))
    try {
      const here = (await run(createDiskCheck([folder]))) as { availableDiskBytes: number }
      expect(here.availableDiskBytes).toBeGreaterThan(0)
      expect(await run(createDiskCheck([join(folder, 'not', 'yet')]))).toEqual({
        availableDiskBytes: expect.any(Number),
        availableDiskPercentage: expect.any(Number),
      })
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('tells of the disk with the least room', async () => {
    const roomOf = async (folder: string) => ({ available: folder.endsWith('database') ? 2e9 : 9e9, total: 1e10 })
    expect(await run(createDiskCheck(['data', 'database', 'logs'], roomOf))).toEqual({
      availableDiskBytes: 2e9,
      availableDiskPercentage: 20,
    })
  })

  it.each([
    [536_870_911, 'remaining available disk space (536870911) is below minimum required available space (536870912)'],
    [
      1_073_741_823,
      'remaining available disk space (1073741823) is below the warning threshold of disk space (1073741824)',
    ],
  ])('is unhealthy with %d bytes left', async (available, text) => {
    const error = await failureOf(createDiskCheck(['.'], async () => ({ available, total: 10_737_418_240 })))
    expect(error.message).toBe(text)
    expect(error.details).toEqual({
      availableDiskBytes: available,
      availableDiskPercentage: Math.floor(available / 107_374_182.4),
    })
  })
})

describe('router and database', () => {
  it('tells the oldest request that is still running', async () => {
    const { begin, check } = createRequestLedger()
    expect(await run(check)).toEqual({ longestRunningRequest: '0s', outstandingRequests: 0 })
    const [end] = [begin(), begin()]
    end?.()
    end?.()
    expect(await run(check)).toMatchObject({
      longestRunningRequest: expect.stringMatching(/^[\d.]+(ns|µs|ms|s)$/),
      outstandingRequests: 1,
    })
  })

  it('has nothing to say of a database that serves, and the error of one that does not', async () => {
    expect(await run(createDatabaseCheck(async () => undefined))).toBeUndefined()
    await expect(run(createDatabaseCheck(() => Promise.reject(new Error('disk full'))))).rejects.toThrow('disk full')
  })
})
