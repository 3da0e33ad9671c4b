import { afterAll, expect, it } from 'vitest'
import { createStage } from '../support/server/stage.ts'

const stage = createStage()
afterAll(() => stage.clear())

it.each([
  ['GET', undefined, {}],
  ['POST', undefined, { 'content-type': 'application/json' }],
  ['POST', '{"a":', { 'content-type': 'application/json' }],
  ['POST', 'a', { 'content-type': 'text/csv' }],
  ['PUT', '{"__proto__":1}', { 'content-type': 'application/json' }],
  ['DELETE', undefined, { 'content-type': 'application/json' }],
])('where there is nothing, %s with the body %s is a 404 like any other', async (method, body, headers) => {
  const { url } = await stage.serve()
  const answer = await fetch(`${url}/nope?a=1`, { method, headers, ...(body === undefined ? {} : { body }) })
  expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
    404,
    'application/json; charset=utf-8',
    `{"message":"Route ${method}:/nope?a=1 not found","error":"Not Found","statusCode":404}`,
  ])
  expect(answer.headers.get('access-control-allow-origin')).toBe('*')
})

it.each(['PROPFIND', 'MKCOL', 'SEARCH'])('%s is a method like any other that a path does not have', async (method) => {
  const { url } = await stage.serve()
  const known = await fetch(`${url}/v1/balance/get-balances`, { method })
  expect([known.status, known.headers.get('allow'), await known.text()]).toEqual([
    405,
    'POST, OPTIONS',
    '{"message":"METHOD_NOT_ALLOWED"}',
  ])
  const unknown = await fetch(`${url}/v1/balance/nope`, { method })
  expect([unknown.status, await unknown.text()]).toEqual([404, '{"message":"NOT_FOUND"}'])
  const nowhere = await fetch(`${url}/nope`, { method })
  expect([nowhere.status, await nowhere.json()]).toMatchObject([404, { message: `Route ${method}:/nope not found` }])
})
