import { expect, it } from 'vitest'
import { nameSchemas } from '../../../src/lib/json/named-schemas.ts'

const paths = (...schemas: object[]): object => Object.fromEntries(schemas.map((schema, at) => [`/${at}`, { schema }]))
const Token = { title: 'Token', type: 'object', properties: { title: { type: 'string' } } }
const Wallet = { title: 'Wallet', type: 'object', properties: { tokens: { type: 'array', items: Token } } }

it('puts schemas with a title in one place, also those inside of others', () => {
  const document = { info: { title: 'A document' }, components: { securitySchemes: {} }, paths: paths(Wallet, Token) }
  expect(nameSchemas(document)).toEqual({
    info: { title: 'A document' },
    components: {
      securitySchemes: {},
      schemas: {
        Token: { type: 'object', properties: { title: { type: 'string' } } },
        Wallet: {
          type: 'object',
          properties: { tokens: { type: 'array', items: { $ref: '#/components/schemas/Token' } } },
        },
      },
    },
    paths: paths({ $ref: '#/components/schemas/Wallet' }, { $ref: '#/components/schemas/Token' }),
  })
})

it('leaves what is a value or has no title', () => {
  const document = { paths: paths({ type: 'object', example: { title: 'Nobody', type: 'x' } }, { title: 'No schema' }) }
  expect(nameSchemas(document)).toEqual({ ...document, components: { schemas: {} } })
})

it('refuses one title for two schemas', () => {
  const document = { paths: paths(Token, { ...Token, properties: {} }) }
  expect(() => nameSchemas(document)).toThrow('two schemas are called Token')
})
