import { Kind, OptionalKind, type TSchema } from '@sinclair/typebox'
import { ConfigSchema } from './schema.ts'
import { marksOf } from './sections/field.ts'

export type KeyKind = 'toggle' | 'integer' | 'number' | 'text' | 'choice' | 'list' | 'json'

/** One setting: its names and what it accepts. */
export interface ConfigKey {
  /** Steps from the root. */
  path: readonly string[]
  /** Dotted path, the name in messages: `http.port`. */
  name: string
  schema: TSchema
  kind: KeyKind
  optional: boolean
  /** Flags without dashes; the first follows the naming rule, a second one is a node's own name for it. */
  flags: readonly string[]
  /** Variable names; the first follows the naming rule. */
  variables: readonly string[]
  description: string
}

const words = (step: string) => step.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase()

/** The naming rule: path steps and words joined by `-`; `balance.chainDeadlineMs` is `balance-chain-deadline-ms`. */
const flagName = (path: readonly string[]) => path.map(words).join('-')

/** The same words in capitals after `FIRN_`, joined by `_`. */
export const variableName = (flag: string) => `FIRN_${flag.replaceAll('-', '_').toUpperCase()}`

export const isOptional = (schema: TSchema) => OptionalKind in schema

/** Members of a closed object; undefined for everything else. */
export function membersOf(schema: TSchema): Record<string, TSchema> | undefined {
  return schema[Kind] === 'Object' ? (schema['properties'] as Record<string, TSchema>) : undefined
}

function kindOf(schema: TSchema): KeyKind {
  switch (schema[Kind]) {
    case 'Boolean':
      return 'toggle'
    case 'Integer':
      return 'integer'
    case 'Number':
      return 'number'
    case 'String':
      return 'text'
    case 'Union':
      return 'choice'
    case 'Array':
      return (schema['items'] as TSchema)[Kind] === 'String' ? 'list' : 'json'
    default:
      return 'json'
  }
}

function keysIn(schema: TSchema, path: readonly string[]): ConfigKey[] {
  return Object.entries(membersOf(schema) ?? {}).flatMap(([step, member]): ConfigKey[] => {
    const steps = [...path, step]
    // An optional section is present or absent as a whole, so it is one key that takes JSON.
    if (membersOf(member) !== undefined && !isOptional(member)) return keysIn(member, steps)
    const marks = marksOf(member)
    const flags = [flagName(steps), ...(marks.flag === undefined ? [] : [marks.flag])]
    return [
      {
        path: steps,
        name: steps.join('.'),
        schema: member,
        kind: kindOf(member),
        optional: isOptional(member),
        flags,
        variables: [...flags.map(variableName), ...(marks.env === undefined ? [] : [marks.env])],
        description: member.description ?? '',
      },
    ]
  })
}

/** Every key of the configuration, in the order of the schema. */
export const configKeys: readonly ConfigKey[] = keysIn(ConfigSchema, [])

export const keyByFlag: ReadonlyMap<string, ConfigKey> = new Map(
  configKeys.flatMap((key) => key.flags.map((flag) => [flag, key] as const)),
)

export const keyByVariable: ReadonlyMap<string, ConfigKey> = new Map(
  configKeys.flatMap((key) => key.variables.map((variable) => [variable, key] as const)),
)
