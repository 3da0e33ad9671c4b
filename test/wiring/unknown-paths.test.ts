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
