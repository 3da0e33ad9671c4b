import { Kind, type TSchema } from '@sinclair/typebox'
import { catalogue } from './catalogue/index.ts'
import { isOptional, membersOf } from './keys.ts'
import { ConfigSchema } from './schema.ts'
import { isTree, type Tree } from './tree.ts'

/**
 * The value of a left-out member: its default, no entries, a section made of defaults, or undefined if it is required.
 */
export function leftOut(schema: TSchema): unknown {
  if (schema.default !== undefined) return structuredClone(schema.default as unknown)
  if (schema[Kind] === 'Record' && !isOptional(schema)) return {}
  return membersOf(schema) !== undefined && !isOptional(schema) && hasDefaults(schema) ? fill(schema, {}) : undefined
}

/** True if no member of a section is required; a native token, for example, is no such section. */
function hasDefaults(schema: TSchema): boolean {
  return Object.values(membersOf(schema) ?? {}).every(
    (member) =>
      isOptional(member) || member.default !== undefined || member[Kind] === 'Record' || hasSectionDefaults(member),
  )
}

const hasSectionDefaults = (schema: TSchema) => membersOf(schema) !== undefined && hasDefaults(schema)

/**
 * A copy of `value` with every default filled in, also inside records and lists. Values that do not fit are left
 * unchanged.
 */
export function fill(schema: TSchema, value: unknown): unknown {
  const members = membersOf(schema)
  if (members !== undefined && isTree(value)) {
    const filled = new Map(Object.entries(value))
    for (const [key, member] of Object.entries(members)) {
      const inner = filled.has(key) ? fill(member, filled.get(key)) : leftOut(member)
      if (inner !== undefined) filled.set(key, inner)
    }
    return Object.fromEntries(filled)
  }
  if (schema[Kind] === 'Record' && isTree(value)) {
    const [entry] = Object.values(schema['patternProperties'] as Record<string, TSchema>)
    return entry === undefined
      ? value
      : Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(entry, inner)]))
  }
  if (schema[Kind] === 'Array' && Array.isArray(value)) {
    return value.map((item) => fill(schema['items'] as TSchema, item))
  }
  return value
}

/**
 * The configuration without any source; `withCatalogue` false leaves the chains empty. The catalogue is returned
 * itself: merging and filling copy, so that nothing changes or freezes it.
 */
export function builtIn(withCatalogue: boolean): Tree {
  const tree = fill(ConfigSchema, {}) as Tree
  const chains = withCatalogue ? catalogue : { evm: {}, bitcoin: {}, solana: {}, avalanche: {} }
  return { ...tree, chains: { ...(tree['chains'] as Tree), ...chains } }
}
