import { fixedValues, isRecord, type JsonSchema } from './json-schema.ts'

export type Path = readonly (string | number)[]

/** One rule of a schema broken in an otherwise valid value. */
export interface Mutation {
  /** Where the broken rule applies; a missing member's path is its own. */
  path: Path
  rule: string
  /** The whole value, broken. */
  value: unknown
}

/** Whether a branch of a union allows a value. */
export type Allows = (schema: JsonSchema, value: unknown) => boolean

/** What stands in for a value (undefined = the member is removed), and which rule that breaks. */
type Replacement = [rule: string, value: unknown]

/** Every single-rule mutation of a valid value; unions follow the branch that allows the value. */
export function mutationsOf(schema: JsonSchema, valid: unknown, allows: Allows): Mutation[] {
  const mutations: Mutation[] = []
  const visit = (part: JsonSchema, value: unknown, path: Path): void => {
    const branch = fixedValues(part) || !part.anyOf ? part : part.anyOf.find((one) => allows(one, value))
    if (!branch) throw new Error(`no branch allows ${JSON.stringify(value)}`)
    for (const [rule, broken] of replacements(branch, value)) {
      mutations.push({ path, rule, value: replaceAt(valid, path, broken) })
    }
    if (Array.isArray(value)) for (const [at, item] of value.entries()) visit(branch.items ?? {}, item, [...path, at])
    else if (isRecord(value)) visitMembers(branch, value, path)
  }
  const visitMembers = (part: JsonSchema, value: Record<string, unknown>, path: Path): void => {
    for (const [key, member] of Object.entries(part.properties ?? {})) {
      if (!Object.hasOwn(value, key)) continue
      const memberPath = [...path, key]
      if (part.required?.includes(key))
        mutations.push({ path: memberPath, rule: 'required', value: replaceAt(valid, memberPath, undefined) })
      visit(member, value[key], memberPath)
    }
  }
  visit(schema, valid, [])
  return mutations
}

function replacements(schema: JsonSchema, value: unknown): Replacement[] {
  const fixed = fixedValues(schema)
  if (fixed) {
    const near = [`${value}x`, String(value).toUpperCase(), '', ` ${value}`].filter((text) => !fixed.includes(text))
    return [...near.map((text): Replacement => ['enum', text]), ['type', null], ['type', 7]]
  }
  switch (schema.type) {
    case 'object':
      return ['text', null, 7, []].map((wrong) => ['type', wrong])
    case 'array':
      return brokenArrays(schema, value as unknown[])
    case 'string':
      return brokenTexts(schema, value as string)
    case 'boolean':
      return ['true', 1, null].map((wrong) => ['type', wrong])
    case 'integer':
      return brokenIntegers(schema)
    default:
      return []
  }
}

function brokenArrays(schema: JsonSchema, value: unknown[]): Replacement[] {
  const broken: Replacement[] = [{}, null, 'text', value[0] ?? true].map((wrong) => ['type', wrong])
  const { minItems = 0, maxItems } = schema
  if (minItems > 0) broken.push(['minItems', value.slice(0, minItems - 1)])
  if (maxItems !== undefined && value.length > 0)
    broken.push(['maxItems', Array.from({ length: maxItems + 1 }, (_, at) => value[at % value.length])])
  return broken.filter(([rule, wrong]) => rule !== 'type' || !Array.isArray(wrong))
}

function brokenTexts(schema: JsonSchema, value: string): Replacement[] {
  const broken: Replacement[] = [7, null, {}, [value]].map((wrong) => ['type', wrong])
  const { pattern, minLength = 0, maxLength } = schema
  if (minLength > 0) broken.push(['minLength', value.slice(0, minLength - 1)])
  if (maxLength !== undefined) broken.push(['maxLength', value.padEnd(maxLength + 1, '1')])
  if (pattern === undefined) return broken
  const near = ['', `${value}!`, ` ${value}`, `${value}\n`, value.slice(1), value.slice(0, 8), `${value}${value}`]
  const wrong = near.filter((text) => !new RegExp(pattern).test(text))
  return [...broken, ...wrong.map((text): Replacement => ['pattern', text])]
}

function brokenIntegers({ minimum, maximum }: JsonSchema): Replacement[] {
  const broken: Replacement[] = ['7', 0.5, null].map((wrong) => ['type', wrong])
  if (minimum !== undefined) broken.push(['minimum', minimum - 1])
  if (maximum !== undefined) broken.push(['maximum', maximum + 1])
  return broken
}

function replaceAt(whole: unknown, path: Path, replacement: unknown): unknown {
  const [step, ...rest] = path
  if (step === undefined) return replacement
  if (Array.isArray(whole)) return whole.map((item, at) => (at === step ? replaceAt(item, rest, replacement) : item))
  const record = { ...(whole as Record<string, unknown>) }
  const value = replaceAt(record[step], rest, replacement)
  if (value === undefined) delete record[step]
  else record[step] = value
  return record
}
