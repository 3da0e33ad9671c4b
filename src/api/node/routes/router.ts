import { BadAnswerError } from '../../../errors.ts'
import { inTime } from '../../../lib/in-time.ts'
import { encodePath } from '../http/target.ts'
import { type ChainDirectory, isChainId } from './chain-directory.ts'
import { chainEndpoint, type Endpoint, FIXED, PRIMARY } from './endpoint.ts'
import type { NodeAliases } from './node-aliases.ts'
import { createRouteAliases, type RouteAliases } from './route-aliases.ts'

/** Finds what a path under /ext means. */
export interface Router {
  readonly aliases: RouteAliases
  /**
   * `path` is decoded and clean. Undefined = nothing is there (404). A promise when a chain id has to be looked for on
   * the network first, or a name among the aliases of nodes.
   */
  resolve(path: string): Endpoint | undefined | Promise<Endpoint | undefined>
}

/** Primary chains also answer without `bc`, but only under their built-in names. */
const SHORT = new Set(['P', 'platform', 'X', 'avm', 'C', 'evm'])
/** Targets whose endpoint is remembered. */
const MAX_REMEMBERED = 1_000
/** Nodes that do not say which chains there are do not take the time of the call as well: it goes to them then. Milliseconds. */
const LOOK_MS = 5_000
/** What can follow a route, for the check whether an alias clashes. */
const EXTENSIONS = ['', 'rpc', 'ws', 'avax', 'wallet', 'proposervm', 'validators', 'block', 'tx', 'vtx']

interface ChainPath {
  chain: string
  extension: string
}

const CHAINS = 'bc/'
/** No alias is longer, bytes. */
const LONGEST_ALIAS = 512

/** The ways to read a route, as an alias of a chain may hold slashes: the shortest name first. */
function* chainPathsOf(route: string): Generator<ChainPath> {
  const named = route.startsWith(CHAINS)
  const rest = named ? route.slice(CHAINS.length) : route
  for (let end = -1; end < rest.length && end <= LONGEST_ALIAS; ) {
    const slash = rest.indexOf('/', end + 1)
    end = slash < 0 ? rest.length : slash
    const chain = rest.slice(0, end)
    if (!named && !SHORT.has(chain)) return
    // A slash at the end is another path.
    if (chain !== '' && (end !== rest.length - 1 || slash < 0)) yield { chain, extension: rest.slice(end + 1) }
    if (!named) return
  }
}

/**
 * `extra` = endpoints that exist because something here answers them (admin, auth …), besides those every node has.
 */
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
      // What another chain does with the rest of a path is not known: a longer name that is one comes first.
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
    // Nobody to ask: the answer must not be that the chain does not exist.
    return inChain(path) ?? (asked ? undefined : chainEndpoint(path.chain, path.extension))
  }
  /** Not remembered here: nodes may be given others. */
  const byNodes = async ({ chain, extension }: ChainPath): Promise<Endpoint | undefined> => {
    const id = await nodeAliases?.find(chain)
    if (id === undefined || !isChainId(id)) return undefined
    const path = { chain: id, extension }
    return directory.lookup(id) === undefined ? search(path) : inChain(path)
  }
  /**
   * As of ids: nobody to ask is not nothing there. The call goes where the name may stand for something, and is told how that
   * ends. A name of a node may hold slashes, so what follows one here could be the rest of it, and an `admin` behind that.
   */
  const unasked = ({ chain, extension }: ChainPath, error: unknown): Endpoint | undefined => {
    // Who says neither an id nor an error has no names.
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
      // What was there before an alias stays: `info` for `bc/C` adds info/rpc and takes nothing away.
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
