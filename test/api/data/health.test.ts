import { connect } from 'node:net'
import Fastify from 'fastify'
import { expect, it } from 'vitest'
import { createComputeUnits, createMemoryUsage } from '../../../src/api/data/compute-units.ts'
import { type HealthDeps, healthRoutes } from '../../../src/api/data/health.ts'
import { dataApi } from '../../../src/api/data/index.ts'
import { databaseError } from '../../../src/store/connection/database-error.ts'

const plans = { default: { computeUnitsPerMinute: 1_000_000, computeUnitsPerDay: 1_000_000 } }

async function ask(path: string, deps: Partial<HealthDeps>) {
  const app = Fastify()
  await app.register(dataApi, {
    pathPrefix: '',
    computeUnits: createComputeUnits({ plans, apiKeys: [], keyRequired: false }, createMemoryUsage()),
    routes: healthRoutes({ reads: {}, writes: {}, timeoutMs: 60_000, closing: () => false, ...deps }),
  })
  const { statusCode, body, headers } = await app.inject(path)
  await app.close()
  return { status: statusCode, body: JSON.parse(body), retryAfter: headers['retry-after'] }
}

/** What the driver says when nobody listens, turned into the store's words as the store does. */
async function refused(): Promise<never> {
  // Privileged and unassigned, as in the stage's `deadUrl`.
  const error = await new Promise((resolve) => connect(2, '127.0.0.1').once('error', resolve))
  throw databaseError(error)
}
const works = async (): Promise<void> => undefined

it('live-check asks reads only, health-check both', async () => {
  const parts = { reads: { database: works }, writes: { database: refused, cache: works } }
  const live = await ask('/v1/live-check', parts)
  expect([live.status, live.body.status, live.body.details]).toEqual([200, 'ok', { database: { status: 'up' } }])
  const health = await ask('/v1/health-check', parts)
  expect([health.status, health.body.error]).toEqual([503, 'Service Unavailable'])
})

it('says which part does not work, and nothing of where it is', async () => {
  const { status, body } = await ask('/v1/live-check', { reads: { database: refused } })
  expect([status, body]).toEqual([
    503,
    { message: ['database: the database is not there'], error: 'Service Unavailable', statusCode: 503 },
  ])
  const odd = await ask('/v1/live-check', { reads: { database: async () => Promise.reject(new Error('/var/secret')) } })
  expect(odd.body.message).toEqual(['database: it does not work'])
})

it('does not wait for a part that says nothing, and takes no calls while it closes', async () => {
  const silent = await ask('/v1/health-check', {
    timeoutMs: 200,
    writes: { cache: () => new Promise(() => undefined) },
  })
  expect([silent.status, silent.body.message]).toEqual([503, ['cache: no answer within 200 ms']])
  const closing = await ask('/v1/live-check', { closing: () => true })
  expect([closing.status, closing.retryAfter]).toEqual([503, '5'])
})
