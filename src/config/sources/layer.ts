import type { ConfigKey } from '../keys.ts'
import { removalProblems } from '../removals.ts'
import type { ShortFormUse } from '../short-forms.ts'
import { merge, type Origins, type Tree, treeOf } from '../tree.ts'
import { parseText } from './parse-text.ts'

/** One setting from a source. */
export interface Entry {
  key: ConfigKey
  text: string
  origin: string
}

/** Everything from one source; problems are its mistakes. */
export interface Layer {
  entries: Entry[]
  uses: ShortFormUse[]
  problems: string[]
}

/** A repeated flag adds to a list, and is merged if it takes JSON; otherwise the last one counts. */
export function applyEntries(tree: Tree, entries: readonly Entry[], origins: Origins, problems: string[]): Tree {
  let result = tree
  const lists = new Map<string, unknown[]>()
  for (const { key, text, origin } of entries) {
    let value = parseText(key, text)
    if (Array.isArray(value)) {
      value = [...(lists.get(key.name) ?? []), ...value]
      lists.set(key.name, value as unknown[])
    }
    const over = treeOf(key.path, value)
    problems.push(...removalProblems(result, over, origin, origins))
    result = merge(result, over, origin, origins) as Tree
  }
  return result
}
