import { isRecord, type JsonRecord } from '../lib/json/json-record.ts'

/** A configuration being built: plain, unvalidated data. */
export type Tree = JsonRecord

export const isTree: (value: unknown) => value is Tree = isRecord

/** Where a value came from, as shown to people: `flag --http-port`, `FIRN_HTTP_PORT in .env`, `firn.config.json`. */
export type Origins = Map<string, string>

/** Reads a value by its path; undefined when any step is missing. */
export function valueAt(tree: unknown, path: readonly string[]): unknown {
  let value: unknown = tree
  for (const step of path) {
    if (!isTree(value) || !Object.hasOwn(value, step)) return undefined
    value = value[step]
  }
  return value
}

/** A tree with one value at a path. */
export function treeOf(path: readonly string[], value: unknown): Tree {
  return path.reduceRight<unknown>((inner, step) => Object.fromEntries([[step, inner]]), value) as Tree
}

/** The tree without the value at a path. */
export function without(tree: unknown, path: readonly string[]): unknown {
  const [step, ...rest] = path
  if (step === undefined || !isTree(tree) || !Object.hasOwn(tree, step)) return tree
  return Object.fromEntries(
    Object.entries(tree).flatMap(([key, value]) => {
      if (key !== step) return [[key, value]]
      return rest.length === 0 ? [] : [[key, without(value, rest)]]
    }),
  )
}

/**
 * Merges `over` into `base` and returns a new tree: objects are merged key by key, everything else (lists too) is
 * replaced, null removes a key. Records in `origins` where each value came from, by dotted path.
 */
export function merge(base: unknown, over: unknown, origin: string, origins: Origins, path = ''): unknown {
  if (path !== '') origins.set(path, origin)
  if (!isTree(over)) return over
  const merged = new Map<string, unknown>(isTree(base) ? Object.entries(base) : [])
  for (const [key, value] of Object.entries(over)) {
    const inner = path === '' ? key : `${path}.${key}`
    if (value === null) {
      origins.set(inner, origin)
      merged.delete(key)
    } else {
      merged.set(key, merge(merged.get(key), value, origin, origins, inner))
    }
  }
  // fromEntries defines own properties, so a key named __proto__ stays a key and is reported as unknown.
  return Object.fromEntries(merged)
}

/** The origin of a value: its own, else that of the object around it; undefined = built in. */
export function originOf(origins: Origins, path: readonly string[]): string | undefined {
  for (let length = path.length; length > 0; length--) {
    const origin = origins.get(path.slice(0, length).join('.'))
    if (origin !== undefined) return origin
  }
  return undefined
}
