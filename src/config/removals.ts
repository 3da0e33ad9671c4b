import { Kind } from '@sinclair/typebox'
import { catalogue } from './catalogue/index.ts'
import { closestName } from './closest-name.ts'
import { membersOf } from './keys.ts'
import { isTree, type Origins, type Tree, valueAt } from './tree.ts'
import { schemaAt, unknownKey } from './validate.ts'

/**
 * One line per `null` for an unknown name: with a typo, a chain that was to be removed would silently stay in service.
 *
 * @param tree what `over` is merged over; what earlier sources removed may be removed again
 */
export function removalProblems(
  tree: Tree,
  over: unknown,
  origin: string,
  origins: Origins,
  path: readonly string[] = [],
): string[] {
  if (isTree(over))
    return Object.entries(over).flatMap(([key, value]) => removalProblems(tree, value, origin, origins, [...path, key]))
  if (over !== null) return []
  const place = path.slice(0, -1)
  const [parent, key = ''] = [schemaAt(place), path.at(-1)]
  const members = parent && membersOf(parent)
  if (members) return Object.hasOwn(members, key) ? [] : [unknownKey(path, ` (${origin})`)]
  const isNamed = origins.has(path.join('.')) || [tree, { chains: catalogue }].some((one) => valueAt(one, path))
  if (parent?.[Kind] !== 'Record' || isNamed) return []
  const entries = valueAt(tree, place)
  const names = isTree(entries) ? Object.keys(entries) : []
  const near = closestName(key, names)
  const hint =
    near === undefined ? `known: ${names.join(', ') || 'none'}` : `did you mean ${[...place, near].join('.')}?`
  return [`${path.join('.')}: given null (${origin}), where there is no such entry; ${hint}`]
}
