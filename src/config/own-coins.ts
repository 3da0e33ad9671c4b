import { catalogue } from './catalogue/index.ts'
import { type Origins, type Tree, valueAt, without } from './tree.ts'

/** Identifiers of a coin for wallets and price providers. */
const IDENTITY = ['internalId', 'priceId', 'logoUri'] as const

/**
 * If the operator gave a built-in chain's coin another symbol, it is another coin: the price of the built-in one must
 * not be shown for it. Values from the operator stay.
 */
export function forgetOtherCoins(tree: Tree, origins: Origins): Tree {
  let result: unknown = tree
  for (const [family, entries] of Object.entries(catalogue)) {
    for (const [reference, { native }] of Object.entries(entries)) {
      const path = ['chains', family, reference, 'native']
      const symbol = valueAt(tree, [...path, 'symbol'])
      if (symbol === undefined || symbol === native?.symbol) continue
      for (const key of IDENTITY) if (!origins.has([...path, key].join('.'))) result = without(result, [...path, key])
    }
  }
  return result as Tree
}
