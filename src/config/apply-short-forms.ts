import type { Side } from '../facts/primary-network.ts'
import { urlBelow } from '../lib/http/url-below.ts'
import { maskUrl } from '../lib/mask.ts'
import { catalogue } from './catalogue/index.ts'
import { AVAX } from './catalogue/native-tokens.ts'
import { chainNames, chainPath, familyPath } from './chain-names.ts'
import { closestName } from './closest-name.ts'
import { OWN_NODE_REQUESTS_PER_SECOND, type ShortFormName, type ShortFormUse } from './short-forms.ts'
import { isTree, merge, type Origins, type Tree, treeOf, valueAt } from './tree.ts'

interface Work {
  tree: Tree
  readonly origins: Origins
  readonly problems: string[]
  /** The same tree with later sources applied, without their short forms. */
  foresee(tree: Tree): Tree
}

const put = (work: Work, path: readonly string[], value: unknown, origin: string) => {
  work.tree = merge(work.tree, treeOf(path, value), origin, work.origins) as Tree
}

/** A URL in place of a name is shown by its host: the rest may be a key. */
function unknownChain(work: Work, origin: string, name: string): void {
  const near = closestName(name, chainNames(work.tree))
  const hint = near === undefined ? `known: ${chainNames(work.tree).join(', ') || 'none'}` : `did you mean ${near}?`
  const shown = /[/?#@]/.test(name) ? maskUrl(name) : name
  work.problems.push(`${origin}: no chain "${shown}"; ${hint}`)
}

/** An upstream of a chain's family; for Bitcoin the URL's scheme determines the protocol. */
function upstreamOf(path: readonly string[], url: string): Tree {
  if (path[1] !== 'bitcoin') return { url }
  if (/^(tcp|tls):/.test(url)) return { kind: 'electrum', url }
  const blockbook = url.startsWith('blockbook+')
  return { kind: blockbook ? 'blockbook' : 'esplora', url: blockbook ? url.slice('blockbook+'.length) : url }
}

function replaceUpstreams(work: Work, uses: readonly ShortFormUse[]): void {
  const byChain = new Map<string, { urls: string[]; origin: string }>()
  for (const { value, origin } of uses) {
    const equals = value.indexOf('=')
    if (equals < 1) {
      work.problems.push(`${origin}: needs <chain>=<url>, such as eip155:43114=https://node.example.org`)
      continue
    }
    const chain = value.slice(0, equals)
    const urls = value
      .slice(equals + 1)
      .split(',')
      .filter((url) => url !== '')
    byChain.set(chain, { urls: [...(byChain.get(chain)?.urls ?? []), ...urls], origin })
  }
  for (const [chain, { urls, origin }] of byChain) {
    const path = chainPath(chain)
    if (path === undefined || !isTree(valueAt(work.tree, path))) unknownChain(work, origin, chain)
    else
      put(
        work,
        [...path, 'upstreams'],
        urls.map((url) => upstreamOf(path, url)),
        origin,
      )
  }
}

/** Without the catalogue, a network that somebody's nodes serve lacks what no source has set. */
function completeNetwork(work: Work, network: Side, origin: string): void {
  const path = ['chains', 'avalanche', network]
  const isLeftOut = (key: string): boolean =>
    valueAt(work.tree, [...path, key]) === undefined && !work.origins.has([...path, key].join('.'))
  const { name, evmChainId, native } = catalogue.avalanche[network] ?? {}
  for (const [key, value] of Object.entries({ name, native }))
    if (isLeftOut(key)) put(work, [...path, key], value, origin)
  // No source set it, so it has no origin, like values of the catalogue.
  if (isLeftOut('evmChainId')) work.tree = merge(work.tree, treeOf(path, { evmChainId }), origin, new Map()) as Tree
}

const ownNode = (url: string) => ({ url, requestsPerSecond: OWN_NODE_REQUESTS_PER_SECOND })

/**
 * Uses the operator's nodes for a whole network. The C-chain entry also loses its multicall address: a private network
 * may lack the contract, and reads without it work everywhere.
 */
function useNodes(work: Work, network: Side, uses: readonly ShortFormUse[]): void {
  const [first] = uses
  if (first === undefined) return
  const nodes = uses.map(({ value }) => urlBelow(value, ''))
  const path = ['chains', 'avalanche', network]
  completeNetwork(work, network, first.origin)
  put(work, [...path, 'upstreams'], nodes.map(ownNode), first.origin)
  // Whichever source sets the C-chain's id or the nodes, the nodes serve that chain.
  const evmChainId = valueAt(work.foresee(work.tree), [...path, 'evmChainId'])
  if (typeof evmChainId !== 'number') return
  const evmPath = ['chains', 'evm', String(evmChainId)]
  const known = isTree(valueAt(work.tree, evmPath))
  if (!known && work.origins.has(evmPath.join('.'))) return
  if (!known) {
    const { blockchainId: _, ...entry } = catalogue.evm[String(evmChainId)] ?? {
      name: `EVM chain ${evmChainId}`,
      testnet: network === 'testnet',
      native: AVAX,
      blockTimeMs: 2_000,
    }
    // Public lists go with the public chains that were left out: perhaps there is no way to them.
    put(work, evmPath, { ...entry, tokenLists: [] }, first.origin)
  }
  put(
    work,
    [...evmPath, 'upstreams'],
    nodes.map((url) => ownNode(urlBelow(url, '/ext/bc/C/rpc'))),
    first.origin,
  )
  const multicall = [...evmPath, 'multicall']
  if (!known || !work.origins.has(multicall.join('.'))) put(work, multicall, null, first.origin)
}

function remove(work: Work, { value, origin }: ShortFormUse): void {
  const family = familyPath(value)
  const entries = family === undefined ? undefined : valueAt(work.tree, family)
  if (family !== undefined && isTree(entries)) {
    for (const reference of Object.keys(entries)) put(work, [...family, reference], null, origin)
    return
  }
  const path = chainPath(value)
  if (path === undefined || valueAt(work.tree, path) === undefined) unknownChain(work, origin, value)
  else put(work, path, null, origin)
}

/**
 * Applies the short forms of one source: settings for one chain override those for its network, and removals come last,
 * so that no other setting of the source brings a chain back.
 */
export function applyShortForms(tree: Tree, uses: readonly ShortFormUse[], means: Omit<Work, 'tree'>): Tree {
  const work: Work = { tree, ...means }
  const of = (flag: ShortFormName) => uses.filter((use) => use.flag === flag)
  useNodes(work, 'mainnet', of('avalanche-mainnet-node'))
  useNodes(work, 'testnet', of('avalanche-testnet-node'))
  replaceUpstreams(work, of('chain-upstreams'))
  for (const use of of('without')) remove(work, use)
  return work.tree
}
