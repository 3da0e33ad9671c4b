/** The part of JSON Schema that our documents use for request bodies. */
export interface JsonSchema {
  type?: 'object' | 'array' | 'string' | 'boolean' | 'integer' | 'number' | 'null'
  properties?: Record<string, JsonSchema>
  required?: readonly string[]
  additionalProperties?: boolean | JsonSchema
  items?: JsonSchema
  minItems?: number
  maxItems?: number
  minLength?: number
  maxLength?: number
  pattern?: string
  enum?: readonly unknown[]
  const?: unknown
  minimum?: number
  maximum?: number
  anyOf?: readonly JsonSchema[]
  title?: string
  description?: string
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Values that a schema fixes, whether written as `const`, `enum` or a union of such; undefined where it fixes none. */
export function fixedValues(schema: JsonSchema): readonly unknown[] | undefined {
  if (schema.enum) return schema.enum
  if ('const' in schema) return [schema.const]
  const branches = schema.anyOf?.map(fixedValues)
  if (!branches || branches.some((branch) => branch === undefined)) return undefined
  return branches.flatMap((branch) => branch ?? [])
}
