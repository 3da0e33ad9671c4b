import { Ajv } from 'ajv'
import type { FastifySchemaCompiler } from 'fastify'

/** Query and path values are text, so numbers and booleans are parsed from it; repeated keys become lists. */
const texts = new Ajv({
  coerceTypes: 'array',
  useDefaults: true,
  removeAdditional: false,
  allErrors: true,
  strict: false,
})
/** Bodies are already typed. Only the first error is reported: a body can hold millions, and so would the answer. */
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
 * Members that should be numbers but are not written as decimal numbers. Ajv accepts whatever `Number()` does: blanks
 * as 0, and a balance at time 0 is no balance at all; hexadecimal digits.
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

/** Comma-separated lists in one text. Some clients write every list as a repeated key. */
const COMMA_LISTS = ['addresses']

function joinRepeated(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  const members = value as Record<string, unknown>
  for (const name of COMMA_LISTS) if (Array.isArray(members[name])) members[name] = members[name].join(',')
}

/** Unknown query members are ignored: clients send rate-limit tokens and the like. */
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
