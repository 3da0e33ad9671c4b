import { SIDES } from '../facts/primary-network.ts'
import { merge, type Origins, type Tree, treeOf, valueAt, without } from './tree.ts'

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

/**
 * Whoever names nodes of the testnet alone is served these under /ext: without `node.network` those of mainnet, which is
 * public and somebody else's, would answer in their place.
 */
export function serveOwnNetwork(tree: Tree, origins: Origins): Tree {
  const origin = origins.get('chains.avalanche.testnet.upstreams')
  if (origin === undefined || origins.has('chains.avalanche.mainnet.upstreams')) return tree
  // Without mainnet the testnet is served anyway.
  const isOpen = valueAt(tree, ['chains', 'avalanche', 'mainnet']) && valueAt(tree, ['node', 'network']) === undefined
  return isOpen ? (merge(tree, treeOf(['node', 'network'], 'testnet'), origin, origins) as Tree) : tree
}
