import { STATUS_CODES } from 'node:http'
import { gzipSync } from 'node:zlib'
import { Type } from '@sinclair/typebox'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createComputeUnits, createMemoryUsage } from '../../../src/api/data/compute-units.ts'
import { dataApi } from '../../../src/api/data/index.ts'
import { AddressesBodySchema } from '../../../src/api/data/primary/addresses.ts'
import type { DataRoute } from '../../../src/api/data/route.ts'
import { BadInputError, CancelledError, FirnError } from '../../../src/errors.ts'

const route = (url: string, changes: Partial<DataRoute>): DataRoute => ({
  method: 'POST',
  url,
  operationId: url,
  tag: 'Test',
  summary: 'Test',
  weight: 'free',
  response: {},
  handle: async (request) => ({ body: request.body ?? 'none' }),
  ...changes,
})

const JSON_TYPE = { 'content-type': 'application/json' }
const plans = { default: { computeUnitsPerMinute: 1_000, computeUnitsPerDay: 1_000 } }
const computeUnits = createComputeUnits({ plans, apiKeys: [], keyRequired: false }, createMemoryUsage())
const failure = (status: number, expose = false) =>
  new FirnError('at /home/of/the/operator: secret', { code: 'OWN', status, expose })
const FAILURES = {
  unexpected: new Error('at /home/of/the/operator: secret'),
  teapot: Object.assign(new Error('no coffee here'), { statusCode: 418 }),
  500: failure(500),
  502: failure(502),
  503: failure(503),
  504: failure(504),
  499: failure(499),
  cancelled: new CancelledError('at /home/of/the/operator: secret'),
  shown: failure(503, true),
}
let app: FastifyInstance
beforeAll(async () => {
  app = Fastify()
  await app.register(dataApi, {
    pathPrefix: '',
    computeUnits,
    routes: [
      route('/v1/none', {}),
      route('/v1/some', { body: Type.Object({ addresses: Type.String() }) }),
      route('/v1/either', { body: AddressesBodySchema }),
      route('/v1/cut', {
        method: 'GET',
        handle: () => Promise.reject(new BadInputError(`no address: ${'𝑻'.slice(0, 1)}`)),
      }),
      ...Object.entries(FAILURES).map(([name, error]) =>
        route(`/v1/fails/${name}`, { handle: () => Promise.reject(error) }),
      ),
    ],
  })
})
afterAll(() => app.close())

async function post(url: string, type: string | undefined, payload: string): Promise<[number, unknown]> {
  const headers = type === undefined ? {} : { 'content-type': type }
  const answer = await app.inject({ method: 'POST', url, headers, payload })
  return [answer.statusCode, JSON.parse(answer.body)]
}

it.each([
  ['application/json', ''],
  ['application/json', '{'],
  ['application/json', '{"x":1}'],
  ['application/x-www-form-urlencoded', ''],
  ['application/x-www-form-urlencoded', 'a=b'],
  ['text/plain', 'x'],
])('an operation without a body does not look at one: %s %j', async (type, payload) => {
  expect(await post('/v1/none', type, payload)).toEqual([200, { body: 'none' }])
})

it('says of a compressed body that it is compressed, and of JSON that is not taken why it may be', async () => {
  const send = async (payload: string | Buffer, headers: Record<string, string>) => {
    const answer = await app.inject({ method: 'POST', url: '/v1/some', headers: { ...JSON_TYPE, ...headers }, payload })
    return [answer.statusCode, answer.json<{ message: string }>().message, answer.headers['accept-encoding']]
  }
  const valid = '{"addresses":"x"}'
  expect(await send(gzipSync(valid), { 'content-encoding': 'gzip' })).toEqual([
    400,
    'compressed bodies are not read: send the JSON as it is',
    'identity',
  ])
  expect(await send(valid, { 'content-encoding': 'identity' })).toEqual([200, undefined, undefined])
  const notJson = [400, expect.stringMatching(/^body is not valid JSON, or has a member named __proto__ /), undefined]
  expect(await send('{"addresses":"x","__proto__":1}', {})).toEqual(notJson)
  expect(await send('{"addresses":"x"', {})).toEqual(notJson)
})

it.each(['application/x-www-form-urlencoded', 'text/plain', 'application/vnd.api+json'])(
  'an operation with a body takes JSON only, and says so: %s',
  async (type) => {
    const [status, body] = await post('/v1/some', type, '{"addresses":"a"}')
    expect([status, body]).toEqual([
      400,
      { message: 'Unsupported Media Type: send application/json', error: 'Bad Request', statusCode: 400 },
    ])
    expect(await post('/v1/some', 'Application/JSON; charset=utf-8', '{"addresses":"a","x":1}')).toEqual([
      200,
      { body: { addresses: 'a', x: 1 } },
    ])
  },
)

it('a body is refused from 1 MiB on, and from the limit of the server where that is lower', async () => {
  const body = (bytes: number) => `{"addresses":"${'x'.repeat(bytes - 16)}"}`
  expect((await post('/v1/either', 'application/json', body(1_048_576)))[0]).toBe(200)
  expect(await post('/v1/either', 'application/json', body(1_048_577))).toEqual([
    400,
    { message: 'Request body is too large', error: 'Bad Request', statusCode: 400 },
  ])
  const small = Fastify({ bodyLimit: 100 })
  await small.register(dataApi, { pathPrefix: '', computeUnits, routes: [route('/v1/some', {})] })
  const answer = await small.inject({ method: 'POST', url: '/v1/some', payload: body(101), headers: JSON_TYPE })
  await small.close()
  expect(answer.statusCode).toBe(400)
})

it('an unknown path is 404, whatever is sent there', async () => {
  for (const type of ['text/plain', 'application/json', 'application/x-www-form-urlencoded'])
    expect((await post('/v1/nothing', type, '{'))[0]).toBe(404)
})

it('an unknown path is named without what was asked of it', async () => {
  const answer = await app.inject('/v1/nothing?token=secret')
  expect(answer.json()).toEqual({ message: 'Cannot GET /v1/nothing', error: 'Not Found', statusCode: 404 })
})

it('a method that needs a body has no route either, with or without one', async () => {
  const url = '/v1/either'
  for (const sent of [{}, { payload: '{}', headers: JSON_TYPE }]) {
    const answer = await app.inject({ method: 'QUERY' as 'GET', url, ...sent })
    expect(answer.json()).toEqual({ message: `Cannot QUERY ${url}`, error: 'Not Found', statusCode: 404 })
  }
})

it('what a client sent is told in whole characters', async () => {
  const answer = await app.inject('/v1/cut')
  expect(answer.json()).toMatchObject({ message: 'no address: \ufffd' })
})

const SILENT = 'a server behind this one did not answer'
it.each([
  ['unexpected', 500, 'the server could not answer; it has written down why', undefined],
  ['teapot', 400, 'no coffee here', undefined],
  ['500', 500, 'the server could not answer', undefined],
  ['499', 500, 'the server could not answer', undefined],
  // By the server itself: the client is still there.
  ['cancelled', 500, 'the server could not answer', undefined],
  ['502', 502, SILENT, undefined],
  ['503', 503, SILENT, '1'],
  ['504', 503, SILENT, '1'],
  ['shown', 503, 'at /home/of/the/operator: secret', undefined],
])('of a failure strangers are told what is meant for them: %s', async (name, statusCode, message, retryAfter) => {
  const answer = await app.inject({ method: 'POST', url: `/v1/fails/${name}` })
  expect(answer.json()).toEqual({ message, error: STATUS_CODES[statusCode], statusCode })
  expect(answer.headers['retry-after']).toBe(retryAfter)
})

it.each([
  ['{"addresses":null}', ['addresses must be string or array']],
  ['{"addresses":{"a":1}}', ['addresses must be string or array']],
  ['{"addresses":["a",5]}', ['addresses.1 must be string']],
  ['{}', ['addresses is required']],
  [`{"addresses":[${'1,'.repeat(1_000)}1]}`, ['addresses.0 must be string']],
])('addresses of a body are text or a list, and the message says what is wrong: %s', async (payload, message) => {
  expect(await post('/v1/either', 'application/json', payload)).toEqual([
    400,
    { message, error: 'Bad Request', statusCode: 400 },
  ])
})
