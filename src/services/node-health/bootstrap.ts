import { APPLICATION_TAG, type HealthCheck, NotYetError } from './health-check.ts'

/** Tracks what must have been reached before this server is ready. */
export interface Bootstrap {
  /** Adds a requirement; `subnetId` = the network it belongs to, named in the report while it is missing. */
  expect(name: string, subnetId: string): void
  /** The requirement is met for good, whatever happens later. */
  reached(name: string): void
  /** Nothing is missing. */
  isDone(): boolean
  /** The `bootstrapped` check of `health` and `readiness`: once passed, only a new requirement makes it fail again. */
  readonly check: HealthCheck
}

export function createBootstrap(): Bootstrap {
  const missing = new Map<string, string>()
  const done = new Set<string>()
  return {
    expect: (name, subnetId) => {
      if (!done.has(name)) missing.set(name, subnetId)
    },
    reached: (name) => {
      missing.delete(name)
      done.add(name)
    },
    isDone: () => missing.size === 0,
    check: {
      name: 'bootstrapped',
      reports: ['health', 'readiness'],
      afterOthers: true,
      tags: () => [APPLICATION_TAG],
      run: () => {
        const subnets = [...new Set(missing.values())]
        if (subnets.length > 0) throw new NotYetError('subnets not bootstrapped', subnets)
        return []
      },
    },
  }
}
