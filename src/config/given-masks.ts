import type { TSchema } from '@sinclair/typebox'
import { MASK } from '../lib/mask.ts'
import { memberSchema } from './mask-config.ts'
import { ConfigSchema } from './schema.ts'
import { marksOf } from './sections/field.ts'
import { isTree, type Origins, originOf, type Tree } from './tree.ts'

/** Paths of values that equal the masks of `--print-config`. */
function masksIn(schema: TSchema | undefined, value: unknown, path: readonly string[], isSecret: boolean): string[][] {
  const secret = schema && marksOf(schema).secret
  const hidden = isSecret || secret === true
  if (typeof value === 'string') {
    // URLs are shown with their host, sources with their path, too.
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
 * One line per secret whose value is its mask: the output of `--print-config` was used as a configuration, and the mask
 * would be a key that strangers know, or that nobody knows.
 */
export function maskProblems(tree: Tree, origins: Origins): string[] {
  return masksIn(ConfigSchema, tree, [], false).map((path) => {
    const origin = originOf(origins, path)
    const from = origin === undefined ? '' : ` (${origin})`
    return `${path.join('.')}: given the mask that --print-config shows${from}; allowed: the value itself`
  })
}
