import { APPLICATION_TAG, type HealthCheck, UnhealthyError } from './health-check.ts'

/** `probe` rejects when the database does not work. It gives nothing where none is wanted, so that nothing can fail. */
export const createDatabaseCheck = (probe: () => Promise<void> | undefined): HealthCheck => ({
  name: 'database',
  tags: () => [APPLICATION_TAG],
  run: async () => {
    await probe()
    return undefined
  },
})

/** Registered when the shutdown begins, so that load balancers stop sending requests here. */
export const shuttingDownCheck: HealthCheck = {
  name: 'shuttingDown',
  tags: () => [APPLICATION_TAG],
  reports: ['health', 'readiness'],
  run: () => {
    throw new UnhealthyError('server shutting down', { isShuttingDown: true })
  },
}
