import Fastify from 'fastify'
import { expect, it } from 'vitest'
import { createComputeUnits, createMemoryUsage } from '../../../src/api/data/compute-units.ts'
import { dataApi } from '../../../src/api/data/index.ts'
import type { DataRoute } from '../../../src/api/data/route.ts'
import { StaleIndexError } from '../../../src/api/data/stale-index-error.ts'
import { BadAnswerError, DeadlineError, FirnError } from '../../../src/errors.ts'
import { StoreUnavailableError } from '../../../src/store/errors.ts'

const plans = { default: { computeUnitsPerMinute: 1_000, computeUnitsPerDay: 100_000 } }
const apiKeys = [{ key: 'k', plan: 'default' }]

async function answerTo(error: Error) {
  const app = Fastify()
  const route: DataRoute = {
    method: 'GET',
    url: '/v1/thing',
    operationId: 'thing',
    tag: 'Things',
    summary: 'A thing',
    weight: 'medium',
    response: {},
    handle: () => Promise.reject(error),
  }
  const computeUnits = createComputeUnits({ plans, apiKeys, keyRequired: false }, createMemoryUsage())
  await app.register(dataApi, { pathPrefix: '', computeUnits, routes: [route] })
  const { statusCode, body, headers } = await app.inject({ url: '/v1/thing', headers: { 'x-glacier-api-key': 'k' } })
  await app.close()
  const { 'retry-after': retryAfter, 'ratelimit-remaining': left } = headers
  return { status: statusCode, body: JSON.parse(body), retryAfter, isCounted: Number(left) < 1_000 }
}

it.each([
  new DeadlineError('the database was busy for 10000 ms'),
  new StoreUnavailableError('too many wait for the database'),
])('what a busy database left without an answer may be asked for again soon: %s', async (error) => {
  const message = 'a server behind this one did not answer'
  expect(await answerTo(error)).toEqual({
    status: 503,
    body: { message, error: 'Service Unavailable', statusCode: 503 },
    retryAfter: '1',
    isCounted: true,
  })
})

it('an index that is behind may be asked again, as get-rewards says of it, too', async () => {
  const message = 'x-chain of fuji is not indexed yet'
  expect(await answerTo(new StaleIndexError(message))).toEqual({
    status: 503,
    body: { message, error: 'Service Unavailable', statusCode: 503 },
    retryAfter: '5',
    isCounted: true,
  })
})

it('what will not be better soon promises nothing', async () => {
  expect(await answerTo(new BadAnswerError('no JSON'))).toMatchObject({ status: 502, retryAfter: undefined })
  const lasting = { code: 'INCOMPLETE_INDEX', status: 503, expose: true }
  expect(await answerTo(new FirnError('its past is in no block', lasting))).toMatchObject({
    status: 503,
    retryAfter: undefined,
  })
})
