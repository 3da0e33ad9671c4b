import fc from 'fast-check'
import { fixedValues, type JsonSchema } from './json-schema.ts'

/** Longest array that is made where the schema allows more; the limits themselves are the mutations' business. */
const SPREAD = 4

/**
 * Values that a schema allows. `samples` are texts that mean something to the server (addresses that hold something,
 * chains that are served): they are drawn as often as made-up ones wherever the schema allows them.
 */
export function arbitraryOf(schema: JsonSchema, samples: readonly string[] = []): fc.Arbitrary<unknown> {
  const fixed = fixedValues(schema)
  if (fixed) return fc.constantFrom(...fixed)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((branch) => arbitraryOf(branch, samples)))
  switch (schema.type) {
    case 'object':
      return objects(schema, samples)
    case 'array':
      return arrays(schema, samples)
    case 'string':
      return texts(schema, samples)
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -1_000, max: schema.maximum ?? 1_000 })
    default:
      throw new Error(`no arbitrary for ${JSON.stringify(schema)}`)
  }
}

/** Members that the schema does not name are allowed unless it says otherwise, and must change nothing. */
const UNKNOWN_MEMBER = 'aMemberOfTomorrow'
/** Members that poison prototypes are refused wherever they stand. */
const anyJson = fc
  .jsonValue({ maxDepth: 2 })
  .filter((value) => !/"(__proto__|constructor)"/.test(JSON.stringify(value)))

function objects(schema: JsonSchema, samples: readonly string[]): fc.Arbitrary<unknown> {
  const members = Object.entries(schema.properties ?? {}).map(([key, member]): [string, fc.Arbitrary<unknown>] => [
    key,
    arbitraryOf(member, samples),
  ])
  if (schema.additionalProperties !== false) members.push([UNKNOWN_MEMBER, anyJson])
  return fc.record(Object.fromEntries(members), {
    requiredKeys: [...(schema.required ?? [])],
    noNullPrototype: true,
  })
}

function arrays(schema: JsonSchema, samples: readonly string[]): fc.Arbitrary<unknown> {
  const minLength = schema.minItems ?? 0
  const maxLength = Math.min(schema.maxItems ?? Number.POSITIVE_INFINITY, minLength + SPREAD)
  return fc.array(arbitraryOf(schema.items ?? {}, samples), { minLength, maxLength })
}

function texts(schema: JsonSchema, samples: readonly string[]): fc.Arbitrary<string> {
  const { pattern, minLength = 0, maxLength = minLength + 40 } = schema
  const made =
    pattern === undefined
      ? fc.string({ minLength, maxLength, unit: 'grapheme' })
      : fc.stringMatching(new RegExp(pattern)).filter((text) => text.length >= minLength)
  const fitting = pattern === undefined ? [] : samples.filter((text) => new RegExp(pattern).test(text))
  return fitting.length === 0 ? made : fc.oneof(made, fc.constantFrom(...fitting))
}
