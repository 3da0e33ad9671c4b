import { SIDES } from '../lib/primary-network.ts'
import { type Origins, type Tree, valueAt, without } from './tree.ts'

const IDENTITY = [
  'networkId',
  'hrp',
  'xBlockchainId',
  'cBlockchainId',
  'avaxAssetId',
  'evmChainId',
  'genesisFile',
] as const

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
