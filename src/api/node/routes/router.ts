import { type ChainDirectory, isChainId } from './chain-directory.ts'
import { chainEndpoint, type Endpoint, FIXED, PRIMARY } from './endpoint.ts'
import { createRouteAliases, type RouteAliases } from './route-aliases.ts'

/** Finds what a path under /ext means. */
export interface Router {
  readonly aliases: RouteAliases
  /**
   * `path` is decoded and clean. Undefined = nothing is there (404). A promise when a chain id has to be looked for on
   * the network first.
   */
  resolve(path: string): Endpoint | undefined | Promise<Endpoint | undefined>
}

/** Primary chains also answer without `bc`, but only under their built-in names. */
const SHORT = new Set(['P', 'platform', 'X', 'avm', 'C', 'evm'])
/** Targets whose endpoint is remembered. */
const MAX_REMEMBERED = 1_000
/** What can follow a route, for the check whether an alias clashes. */
const EXTENSIONS = ['', 'rpc', 'ws', 'avax', 'wallet', 'proposervm', 'validators', 'block', 'tx', 'vtx']

interface ChainPath {
  chain: string
  extension: string
}

function chainPathOf(route: string): ChainPath | undefined {
  const segments = route.split('/')
  const start = segments[0] === 'bc' ? 1 : 0
  const chain = segments[start]
  if (chain === undefined || chain === '' || (start === 0 && !SHORT.has(chain))) return undefined
  const extension = segments.slice(start + 1).join('/')
  // A slash at the end is another path.
  return extension === '' && route.endsWith('/') ? undefined : { chain, extension }
}

/**
 * `extra` = endpoints that exist because something here answers them (admin, auth …), besides those every node has.
 */
export function createRouter(directory: ChainDirectory, extra: readonly Endpoint[]): Router {
  const fixed = new Map([...FIXED, ...extra.map((endpoint) => [endpoint.name, endpoint] as const)])
  const remembered = new Map<string, Endpoint>()
  let version = directory.version()
  let aliasCount = 0

  const inChain = ({ chain, extension }: ChainPath): Endpoint | undefined => {
    const id = directory.lookup(chain)
    if (id === undefined) return undefined
    const primary = directory.primaryOf(id)
    return primary === undefined ? chainEndpoint(id, extension) : PRIMARY[primary].get(extension)
  }
  const known = (route: string): Endpoint | undefined => {
    const path = chainPathOf(route)
    return fixed.get(route) ?? (path && inChain(path))
  }
  const isReserved = (route: string): boolean => {
    const path = chainPathOf(route)
    if (path === undefined || path.extension !== '') return false
    const id = directory.lookup(path.chain)
    return id !== undefined && id !== path.chain
  }
  const aliases = createRouteAliases({
    isServed: (route) => known(route) !== undefined,
    isReserved,
    extensions: EXTENSIONS,
  })

  const search = async (path: ChainPath): Promise<Endpoint | undefined> => {
    const asked = await directory.refresh()
    // Nobody to ask: the answer must not be that the chain does not exist.
    return inChain(path) ?? (asked ? undefined : chainEndpoint(path.chain, path.extension))
  }
  const forgetIfChanged = (): void => {
    if (version === directory.version() && aliasCount === aliases.size()) return
    version = directory.version()
    aliasCount = aliases.size()
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
      const chain = chainPathOf(route)
      return chain && directory.lookup(chain.chain) === undefined && isChainId(chain.chain) ? search(chain) : undefined
    },
  }
}
