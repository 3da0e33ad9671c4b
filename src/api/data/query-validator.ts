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
/** Bodies are typed already. Their first mistake is enough: a body has room for millions, and the answer would, too. */
const bodies = new Ajv({
  coerceTypes: false,
  useDefaults: true,
  removeAdditional: false,
  allErrors: false,
  strict: false,
})

const NUMERIC = new Set(['integer', 'number'])
const DECIMAL = /^[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$/

/**
 * Members that are to be numbers and are none as people write them. Ajv takes whatever `Number()` takes: blanks for 0,
 * and a balance at the time 0 is none at all; hexadecimal digits.
 */
function oddNumbers(schema: object, value: unknown): { instancePath: string; message: string }[] {
  const { properties = {} } = schema as { properties?: Record<string, { type?: unknown }> }
  return Object.entries(properties).flatMap(([name, { type }]) => {
    if (typeof type !== 'string' || !NUMERIC.has(type)) return []
    const given = (value as Record<string, unknown> | null)?.[name]
    if (typeof given !== 'string' || DECIMAL.test(given.trim())) return []
    return [{ instancePath: `/${name}`, message: `must be ${type}` }]
  })
}

/** Lists in one text, separated by commas. Some clients write every list as a key that is repeated. */
const COMMA_LISTS = ['addresses']

function joinRepeated(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  const members = value as Record<string, unknown>
  for (const name of COMMA_LISTS) if (Array.isArray(members[name])) members[name] = members[name].join(',')
}

/** Unknown query members are tolerated: clients send rate-limit tokens and the like. */
export const queryValidator: FastifySchemaCompiler<object> = ({ schema, httpPart }) => {
  const check = (httpPart === 'body' ? bodies : texts).compile(schema)
  return (value: unknown) => {
    if (httpPart === 'querystring') joinRepeated(value)
    const odd = httpPart === 'body' ? [] : oddNumbers(schema, value)
    if (odd.length === 0 && check(value)) return { value }
    const issues = odd.length > 0 ? odd : (check.errors ?? [])
    return { error: Object.assign(new Error('invalid request'), { validation: issues }) as never }
  }
}
