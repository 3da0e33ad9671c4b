import type { TSchema } from '@sinclair/typebox'
import { MASK } from '../lib/mask.ts'
import { memberSchema } from './mask-config.ts'
import { ConfigSchema } from './schema.ts'
import { marksOf } from './sections/field.ts'
import { isTree, type Origins, originOf, type Tree } from './tree.ts'

/** Paths of the values that are what `--print-config` shows in place of a secret. */
function masksIn(schema: TSchema | undefined, value: unknown, path: readonly string[], isSecret: boolean): string[][] {
  const secret = schema && marksOf(schema).secret
  const hidden = isSecret || secret === true
  if (typeof value === 'string') {
    // Of a URL its host is shown, of a source its path, too.
    const isMask = hidden || secret === undefined ? hidden && value === MASK : value.includes(MASK)
    return isMask ? [[...path]] : []
  }
  if (Array.isArray(value)) {
    const items = schema?.['items'] as TSchema | undefined
    return value.flatMap((item, rank) => masksIn(items, item, [...path, String(rank)], hidden))
  }
  if (!isTree(value)) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    masksIn(schema && memberSchema(schema, key), inner, [...path, key], hidden),
  )
}

/**
 * One line per secret whose value is its mask: what `--print-config` prints was given back, and strangers would know
 * the key, or nobody would.
 */
export function maskProblems(tree: Tree, origins: Origins): string[] {
  return masksIn(ConfigSchema, tree, [], false).map((path) => {
    const origin = originOf(origins, path)
    const from = origin === undefined ? '' : ` (${origin})`
    return `${path.join('.')}: given what --print-config shows in its place${from}; allowed: the value itself`
  })
}
