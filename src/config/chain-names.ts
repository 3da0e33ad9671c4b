import { isTree, type Tree, valueAt } from './tree.ts'

/** Sections of `chains` by the namespace of each family. */
const FAMILIES: Readonly<Record<string, string>> = {
  eip155: 'evm',
  bip122: 'bitcoin',
  solana: 'solana',
  avalanche: 'avalanche',
}

/** Path of the family with a bare namespace (`eip155`); undefined for any other text. */
export function familyPath(name: string): readonly string[] | undefined {
  const family = Object.hasOwn(FAMILIES, name) ? FAMILIES[name] : undefined
  return family === undefined ? undefined : ['chains', family]
}

/** Path of the chain named `eip155:43114`, `bip122:…`, `solana:…` or `avalanche:mainnet`. */
export function chainPath(name: string): readonly string[] | undefined {
  const colon = name.indexOf(':')
  const family = familyPath(name.slice(0, Math.max(colon, 0)))
  const reference = name.slice(colon + 1)
  return family === undefined || reference === '' ? undefined : [...family, reference]
}

/** Names of all chains in a configuration, as people write them. */
export function chainNames(tree: Tree): string[] {
  return Object.entries(FAMILIES).flatMap(([namespace, section]) => {
    const entries = valueAt(tree, ['chains', section])
    return isTree(entries) ? Object.keys(entries).map((reference) => `${namespace}:${reference}`) : []
  })
}
