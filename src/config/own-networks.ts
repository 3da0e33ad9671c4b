import { SIDES } from '../lib/primary-network.ts'
import { isTree, type Origins, type Tree, valueAt } from './tree.ts'

const IDENTITY = [
  'networkId',
  'hrp',
  'xBlockchainId',
  'cBlockchainId',
  'avaxAssetId',
  'evmChainId',
  'genesisFile',
] as const

function without(tree: unknown, path: readonly string[]): unknown {
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
 * A network whose upstreams the operator chose may be any network, so what the catalogue knows of the public one (IDs,
 * address prefix, genesis) is not assumed of it: it is asked of the node. What the operator gave stays.
 */
export function askOwnNetworks(tree: Tree, origins: Origins): Tree {
  let result: unknown = tree
  for (const network of SIDES) {
    const path = ['chains', 'avalanche', network]
    if (!origins.has([...path, 'upstreams'].join('.'))) continue
    const assumed = IDENTITY.map((key) => [...path, key])
    const evmChainId = valueAt(result, [...path, 'evmChainId'])
    assumed.push(['chains', 'evm', String(evmChainId), 'blockchainId'])
    for (const key of assumed) if (!origins.has(key.join('.'))) result = without(result, key)
  }
  return result as Tree
}
