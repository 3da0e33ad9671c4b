import type { TSchema } from '@sinclair/typebox'
import { catalogue } from './catalogue/index.ts'
import { isOptional, membersOf } from './keys.ts'
import { ConfigSchema } from './schema.ts'
import type { Tree } from './tree.ts'

function defaultsOf(schema: TSchema): Tree {
  return Object.fromEntries(
    Object.entries(membersOf(schema) ?? {}).flatMap(([key, member]): [string, unknown][] => {
      if (membersOf(member) !== undefined && !isOptional(member)) return [[key, defaultsOf(member)]]
      return member.default === undefined ? [] : [[key, structuredClone(member.default as unknown)]]
    }),
  )
}

/** What is used when nothing is configured; `withCatalogue` false leaves the chains empty. */
export function builtIn(withCatalogue: boolean): Tree {
  const tree = defaultsOf(ConfigSchema)
  const chains = withCatalogue ? structuredClone(catalogue) : { evm: {}, bitcoin: {}, solana: {}, avalanche: {} }
  return { ...tree, chains: { ...(tree['chains'] as Tree), ...chains } }
}
