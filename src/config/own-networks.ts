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
 * A network whose upstreams the operator chose may be any network, so the catalogue's values of the public one (IDs,
 * address prefix, genesis) are not assumed: the node is asked for them. Values from the operator stay.
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
