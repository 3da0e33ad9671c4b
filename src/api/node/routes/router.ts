import { BadAnswerError } from '../../../errors.ts'
import { chainOfAlias } from '../../../facts/primary-network.ts'
import { inTime } from '../../../lib/waiting/in-time.ts'
import { encodePath } from '../http/target.ts'
import { type ChainDirectory, isChainId } from './chain-directory.ts'
import { chainEndpoint, type Endpoint, FIXED, PRIMARY } from './endpoint.ts'
import type { NodeAliases } from './node-aliases.ts'
import { createRouteAliases, type RouteAliases } from './route-aliases.ts'

/** Finds the endpoint of a path under /ext. */
export interface Router {
  readonly aliases: RouteAliases
  /**
   * `path` is decoded and clean. Undefined = nothing there (404). A promise when a chain id has to be looked up on the
   * network, or a name among the aliases of nodes.
   */
  resolve(path: string): Endpoint | undefined | Promise<Endpoint | undefined>
}

/** Number of targets whose endpoint is cached. */
const MAX_REMEMBERED = 1_000
/** If nodes do not list the chains in this time, the call is sent to them without waiting longer. Milliseconds. */
const LOOK_MS = 5_000
/** What can follow a route, for checking whether an alias clashes. */
const EXTENSIONS = ['', 'rpc', 'ws', 'avax', 'wallet', 'proposervm', 'validators', 'block', 'tx', 'vtx']

interface ChainPath {
  chain: string
  extension: string
}

const CHAINS = 'bc/'
/** The longest alias, bytes. */
const LONGEST_ALIAS = 512

/** All ways to split a route, because a chain alias may contain slashes: the shortest name first. */
function* chainPathsOf(route: string): Generator<ChainPath> {
  const named = route.startsWith(CHAINS)
  const rest = named ? route.slice(CHAINS.length) : route
  for (let end = -1; end < rest.length && end <= LONGEST_ALIAS; ) {
    const slash = rest.indexOf('/', end + 1)
    end = slash < 0 ? rest.length : slash
    const chain = rest.slice(0, end)
    // Primary chains also answer without `bc`, but only under the names that every node has for them.
    if (!named && chainOfAlias(chain) === undefined) return
    // A trailing slash makes another path.
    if (chain !== '' && (end !== rest.length - 1 || slash < 0)) yield { chain, extension: rest.slice(end + 1) }
    if (!named) return
  }
}

/** `extra` = endpoints that exist because this server answers them (admin, auth …), besides those of every node. */
export function createRouter(directory: ChainDirectory, extra: readonly Endpoint[], nodeAliases?: NodeAliases): Router {
  const fixed = new Map([...FIXED, ...extra.map((endpoint) => [endpoint.name, endpoint] as const)])
  const remembered = new Map<string, Endpoint>()
  let version = directory.version()
  let aliasVersion = 0

  const inChain = ({ chain, extension }: ChainPath): Endpoint | undefined => {
    const id = directory.lookup(chain)
    if (id === undefined) return undefined
    const primary = directory.primaryOf(id)
    return primary === undefined ? chainEndpoint(id, extension) : PRIMARY[primary].get(extension)
  }
  const known = (route: string): Endpoint | undefined => {
    let found = fixed.get(route)
    for (const path of found ? [] : chainPathsOf(route)) {
      const own = inChain(path)
      if (own && own.dialect !== 'any') return own
      // It is unknown what another chain does with the rest of a path: a longer matching name is preferred.
      found ??= own
    }
    return found
  }
  const isReserved = (route: string): boolean => {
    for (const { chain, extension } of chainPathsOf(route)) {
      const id = extension === '' ? directory.lookup(chain) : undefined
      if (id !== undefined && id !== chain) return true
    }
    return false
  }
  const aliases = createRouteAliases({
    isServed: (route) => known(route) !== undefined,
    isReserved,
    extensions: EXTENSIONS,
  })

  const search = async (path: ChainPath): Promise<Endpoint | undefined> => {
    const asked = await inTime(directory.refresh(), LOOK_MS, () => false)
    // No node could be asked: the answer must not be that the chain does not exist.
    return inChain(path) ?? (asked ? undefined : chainEndpoint(path.chain, path.extension))
  }
  /** Not cached here: nodes may get new aliases. */
  const byNodes = async ({ chain, extension }: ChainPath): Promise<Endpoint | undefined> => {
    const id = await nodeAliases?.find(chain)
    if (id === undefined || !isChainId(id)) return undefined
    const path = { chain: id, extension }
    return directory.lookup(id) === undefined ? search(path) : inChain(path)
  }
  /**
   * As with ids: if no node could be asked, the name may still exist. The call is sent where the name may have a
   * meaning, and gets that failure. A node's name may contain slashes, so the part after one could belong to it,
   * followed by `admin`.
   */
  const unasked = ({ chain, extension }: ChainPath, error: unknown): Endpoint | undefined => {
    // A node that answers with neither an id nor an error has no aliases.
    if (error instanceof BadAnswerError || extension.includes('/')) return undefined
    return chainEndpoint(encodePath(chain), extension)
  }
  const forgetIfChanged = (): void => {
    if (version === directory.version() && aliasVersion === aliases.version()) return
    version = directory.version()
    aliasVersion = aliases.version()
    remembered.clear()
  }
  return {
    aliases,
    resolve: (path) => {
      forgetIfChanged()
      const hit = remembered.get(path)
      if (hit) return hit
      if (!path.startsWith('/ext/')) return undefined
      const asked = path.slice('/ext/'.length)
      // An existing path wins over an alias: `info` for `bc/C` adds info/rpc and removes nothing.
      const own = known(asked)
      const route = own ? asked : aliases.resolve(asked)
      const found = own ?? known(route)
      if (found) {
        if (remembered.size < MAX_REMEMBERED) remembered.set(path, found)
        return found
      }
      const [chain] = chainPathsOf(route)
      if (!chain || directory.lookup(chain.chain) !== undefined) return undefined
      if (isChainId(chain.chain)) return search(chain)
      return chain.chain.length <= LONGEST_ALIAS ? byNodes(chain).catch((error) => unasked(chain, error)) : undefined
    },
  }
}
