import Fastify from 'fastify'
import { expect, it } from 'vitest'
import { installErrors } from '../../../src/api/data/errors.ts'

it('a member whose name begins with that of a wrong one of several shapes is told of, too', async () => {
  const app = Fastify({ ajv: { customOptions: { allErrors: true } } })
  installErrors(app)
  const several = { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] }
  const body = { type: 'object', properties: { id: several, idle: { type: 'string', minLength: 3 } } }
  app.post('/', { schema: { body } }, async () => 'well')
  const told = await app.inject({ method: 'POST', url: '/', payload: { id: { a: 1 }, idle: 'x' } })
  expect(told.json().message).toEqual(['idle must NOT have fewer than 3 characters', 'id must be string or array'])
})
