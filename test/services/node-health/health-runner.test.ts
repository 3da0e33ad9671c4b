import type { Logger } from 'pino'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  APPLICATION_TAG,
  createNodeHealth,
  type HealthCheck,
  type HealthMessage,
  NotYetError,
  reportText,
  UnhealthyError,
} from '../../../src/services/node-health/index.ts'

const PRIMARY = '11111111111111111111111111111111LpoYY'
const L1 = 'C7236NPbyuf4ovmWuW1MV5exfSxmHGv3Z39NYMxFNcqVgEP5j'

const check = (name: string, tags: readonly string[], run: HealthCheck['run'] = () => undefined): HealthCheck => ({
  name,
  tags: () => tags,
  run,
})

const start = (checks: readonly HealthCheck[], timeoutMs = 5_000) => {
  const health = createNodeHealth({ frequencyMs: 60_000, timeoutMs })
  for (const one of checks) health.registerCheck(one)
  return health
}

describe('health reports', () => {
  it('say of a check that did not run yet what a node says', () => {
    const report = start([check('database', [APPLICATION_TAG])]).report('health', [])
    expect(reportText(report)).toBe(
      '{"checks":{"database":{"error":"not yet run","timestamp":"0001-01-01T00:00:00Z","duration":0,' +
        '"contiguousFailures":0,"timeOfFirstFailure":null}},"healthy":false}',
    )
  })

  it('carry every member of the specification, in the order of a node, message and error only when there is one', async () => {
    const health = start([
      check('a', [APPLICATION_TAG], () => ({ connectedPeers: 1 })),
      check('b', [APPLICATION_TAG], () => {
        throw new UnhealthyError('went wrong', [PRIMARY])
      }),
    ])
    await health.runNow()
    const { checks, healthy } = health.report('health', [])
    expect(healthy).toBe(false)
    expect(JSON.parse(reportText({ checks, healthy }))).toEqual({
      checks: { a: JSON.parse(JSON.stringify(checks.get('a'))), b: JSON.parse(JSON.stringify(checks.get('b'))) },
      healthy: false,
    })
    const text = reportText({ checks, healthy })
    const shape = text.replaceAll(/"\d{4}-[^"]*Z"/g, '"T"').replaceAll(/"duration":\d+/g, '"duration":1')
    expect(shape).toBe(
      '{"checks":{"a":{"message":{"connectedPeers":1},"timestamp":"T","duration":1,"contiguousFailures":0,' +
        '"timeOfFirstFailure":null},"b":{"message":["11111111111111111111111111111111LpoYY"],"error":"went wrong",' +
        '"timestamp":"T","duration":1,"contiguousFailures":1,"timeOfFirstFailure":"T"}},"healthy":false}',
    )
  })

  it('are sorted by bytes, also names that are numbers', async () => {
    const health = start(
      ['router', 'C', '43114', 'P', 'bootstrapped', 'X'].map((name) => check(name, [APPLICATION_TAG])),
    )
    await health.runNow()
    const names = [...reportText(health.report('health', [])).matchAll(/"([^"]+)":\{"timestamp/g)].map(
      ([, name]) => name,
    )
    expect(names).toEqual(['43114', 'C', 'P', 'X', 'bootstrapped', 'router'])
  })

  it('count failures in a row and remember the first of them', async () => {
    let fails = true
    const health = start([
      check('network', [APPLICATION_TAG], () => {
        if (fails) throw new Error('down')
        return undefined
      }),
    ])
    await health.runNow()
    const first = health.resultOf('network')
    await new Promise((resolve) => setTimeout(resolve, 5))
    await health.runNow()
    const second = health.resultOf('network')
    expect([first?.contiguousFailures, second?.contiguousFailures]).toEqual([1, 2])
    expect(second?.timeOfFirstFailure).toBe(first?.timestamp)
    expect(second?.timestamp).not.toBe(first?.timestamp)
    fails = false
    await health.runNow()
    expect(health.resultOf('network')).toMatchObject({ contiguousFailures: 0, timeOfFirstFailure: null })
    expect(health.report('health', []).healthy).toBe(true)
  })

  it.each([
    ['none', [], ['P', 'database', 'l1']],
    ['primary network', [PRIMARY], ['P', 'database']],
    ['an L1', [L1], ['database', 'l1']],
    ['two', [PRIMARY, L1], ['P', 'database', 'l1']],
    ['unknown', ['nope'], ['database']],
    ['empty', [''], ['database']],
    ['all', ['all'], ['P', 'database', 'l1']],
  ])('filtered by tags: %s', (_name, tags, names) => {
    const health = start([check('l1', [L1]), check('database', [APPLICATION_TAG]), check('P', [PRIMARY])])
    expect([...health.report('health', tags).checks.keys()]).toEqual(names)
  })

  it('a filtered report can be healthy while the server is not', async () => {
    const health = start([
      check('database', [APPLICATION_TAG]),
      check('l1', [L1], () => {
        throw new Error('down')
      }),
    ])
    await health.runNow()
    expect([health.report('health', []).healthy, health.report('health', [PRIMARY]).healthy]).toEqual([false, true])
  })

  it('keep readiness and liveness apart', () => {
    const health = start([
      { ...check('bootstrapped', [APPLICATION_TAG]), reports: ['health', 'readiness'] },
      check('network', [APPLICATION_TAG]),
    ])
    expect([...health.report('readiness', []).checks.keys()]).toEqual(['bootstrapped'])
    expect(reportText(health.report('liveness', []))).toBe('{"checks":{},"healthy":true}')
  })
})

describe('a run', () => {
  it('gives up a check that does not end, and does not let it hold up the others', async () => {
    const aborted: boolean[] = []
    const health = start(
      [
        check('hangs', [APPLICATION_TAG], (signal) => {
          signal.addEventListener('abort', () => aborted.push(true))
          return new Promise<HealthMessage>(() => undefined)
        }),
        check('database', [APPLICATION_TAG]),
      ],
      30,
    )
    const running = health.runNow()
    await new Promise((resolve) => setImmediate(resolve))
    expect(health.resultOf('database')).toBeDefined()
    await running
    expect(health.resultOf('hangs')?.error).toBe('no result within 0.03s')
    expect(aborted).toEqual([true])
  })

  it('leaves what judges the others for last', async () => {
    const order: string[] = []
    const note = (name: string) => () => {
      order.push(name)
      return undefined
    }
    const health = start([
      { ...check('bootstrapped', [APPLICATION_TAG], note('bootstrapped')), afterOthers: true },
      check('P', [PRIMARY], async () => {
        await new Promise((resolve) => setTimeout(resolve, 5))
        return note('P')()
      }),
    ])
    await health.runNow()
    expect(order).toEqual(['P', 'bootstrapped'])
  })

  it('is not begun twice at once', async () => {
    let runs = 0
    const health = start([check('P', [PRIMARY], () => void runs++)])
    await Promise.all([health.runNow(), health.runNow()])
    expect(runs).toBe(1)
  })

  it('forgets what a replaced check found', async () => {
    const health = start([check('index', [APPLICATION_TAG])])
    await health.runNow()
    health.registerCheck(check('index', [APPLICATION_TAG]))
    expect(health.report('health', []).checks.get('index')?.error).toBe('not yet run')
  })

  it('does not keep what a check found that was replaced meanwhile', async () => {
    let end = (): void => undefined
    const slow = check('index', [APPLICATION_TAG], () => new Promise((resolve) => (end = () => resolve('old'))))
    const health = start([slow])
    const running = health.runNow()
    health.registerCheck(check('index', [APPLICATION_TAG]))
    end()
    await running
    expect(health.resultOf('index')).toBeUndefined()
  })

  it('takes in at once what is registered while others run regularly', async () => {
    const health = createNodeHealth({ frequencyMs: 60_000 })
    health.start()
    await health.runNow()
    let ran = false
    health.registerCheck(
      check('index', [APPLICATION_TAG], () => {
        ran = true
        return undefined
      }),
    )
    health.stop()
    expect(ran).toBe(true)
  })

  it('comes again until stopped', async () => {
    let runs = 0
    const health = createNodeHealth({ frequencyMs: 5 })
    health.registerCheck(check('P', [PRIMARY], () => void runs++))
    health.start()
    while (runs < 3) await new Promise((resolve) => setTimeout(resolve, 2))
    health.stop()
    await health.runNow()
    const after = runs
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(runs).toBe(after)
  })
})

describe('the log', () => {
  /** Runs by hand; `pass` moves the time. */
  const startLogged = (isStarting: () => boolean) => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const lines: string[] = []
    const write =
      (level: string) =>
      ({ check: name }: { check: string }, text: string): void =>
        void lines.push(`${level} ${name}: ${text}`)
    const logger = { info: write('info'), warn: write('warn') } as unknown as Logger
    const health = createNodeHealth({ frequencyMs: 60_000, starting: isStarting, logger })
    onTestFinished(() => health.stop())
    return { health, lines }
  }

  it('has no warning of what is not there yet while a server starts, and one of what is wrong', async () => {
    const { health, lines } = startLogged(() => true)
    let isThere = false
    health.registerCheck(
      check('index', [APPLICATION_TAG], () => {
        if (!isThere) throw new NotYetError('not indexed yet')
        return undefined
      }),
    )
    health.registerCheck(
      check('P', [APPLICATION_TAG], () => {
        throw new UnhealthyError('no node answers')
      }),
    )
    health.start()
    await health.runNow()
    expect(lines.splice(0)).toEqual(['warn P: health check fails'])
    isThere = true
    await health.runNow()
    isThere = false
    await health.runNow()
    expect(lines).toEqual(['info index: health check passes again', 'warn index: health check fails'])
  })

  it('has a warning of what is not there when the start should be over, once', async () => {
    const { health, lines } = startLogged(() => true)
    health.registerCheck(
      check('index', [APPLICATION_TAG], () => {
        throw new NotYetError('not indexed yet')
      }),
    )
    health.start()
    await health.runNow()
    expect(lines).toEqual([])
    await vi.advanceTimersByTimeAsync(300_001)
    await health.runNow()
    await health.runNow()
    expect(lines).toEqual(['warn index: health check fails'])
  })
})
