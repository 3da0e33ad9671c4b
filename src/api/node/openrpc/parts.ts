/** A JSON Schema (draft 7, as required by OpenRPC 1.3). */
export type Schema = { readonly [member: string]: unknown }

export interface Parameter {
  name: string
  required: boolean
  schema: Schema
}

/** A method as OpenRPC describes it, without what all methods share. */
export interface Method {
  name: string
  summary: string
  params: readonly Parameter[]
  /** Shape of `result`. */
  result: Schema
  /** Texts of its own errors: code -32000 unless stated otherwise. */
  errors?: readonly (string | { code: number; message: string })[]
  deprecated?: boolean
  /** It is there only with the keystore. */
  needsKeystore?: boolean
  /** Further paths where it answers, after the API's first one. */
  paths?: readonly string[]
}

export const text = (description: string): Schema => ({ type: 'string', description })
export const flag = (description: string): Schema => ({ type: 'boolean', description })
/** A JSON number. */
export const count = (description: string): Schema => ({ type: 'integer', description })
/** 64-bit numbers are written as text, so that no reader rounds them. */
export const uint64 = (description: string): Schema => ({ type: 'string', pattern: '^[0-9]+$', description })
/** As an argument, a number may also be unquoted. */
export const uint64In = (description: string): Schema => ({
  oneOf: [
    { type: 'string', pattern: '^[0-9]+$' },
    { type: 'integer', minimum: 0 },
  ],
  description,
})
export const list = (items: Schema, description?: string): Schema => ({
  type: 'array',
  items,
  ...(description === undefined ? {} : { description }),
})
export const mapOf = (values: Schema, description: string): Schema => ({
  type: 'object',
  additionalProperties: values,
  description,
})
/** All members are present unless named in `optional`. Nodes of other versions may add members. */
export const object = (properties: Record<string, Schema>, optional: readonly string[] = []): Schema => {
  const required = Object.keys(properties).filter((name) => !optional.includes(name))
  return { type: 'object', properties, ...(required.length === 0 ? {} : { required }) }
}
export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })
export const EMPTY: Schema = { type: 'object', properties: {}, description: 'An empty object.' }

export const needs = (name: string, schema: Schema): Parameter => ({ name, required: true, schema })
export const may = (name: string, schema: Schema): Parameter => ({ name, required: false, schema })
