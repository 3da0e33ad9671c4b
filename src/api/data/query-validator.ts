import { Ajv } from 'ajv'
import type { FastifySchemaCompiler } from 'fastify'

/** Query and path values are text, so numbers and booleans are read from it; repeated keys may be lists. */
const texts = new Ajv({
  coerceTypes: 'array',
  useDefaults: true,
  removeAdditional: false,
  allErrors: true,
  strict: false,
})
/** Bodies are typed already. */
const bodies = new Ajv({
  coerceTypes: false,
  useDefaults: true,
  removeAdditional: false,
  allErrors: true,
  strict: false,
})

/** Unknown query members are tolerated: clients send rate-limit tokens and the like. */
export const queryValidator: FastifySchemaCompiler<object> = ({ schema, httpPart }) => {
  const check = (httpPart === 'body' ? bodies : texts).compile(schema)
  return (value: unknown) => {
    if (check(value)) return { value }
    return { error: Object.assign(new Error('invalid request'), { validation: check.errors ?? [] }) as never }
  }
}
