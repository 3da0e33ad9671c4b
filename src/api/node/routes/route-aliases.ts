import { MethodError } from '../gorilla/local-service.ts'

/** Aliases of routes, as created by `admin.alias`: `myC` for `bc/C` covers `myC/rpc`, `myC/ws` and everything below. */
export interface RouteAliases {
  /** Replaces an alias at the start of `path` (without /ext/), and aliases of aliases, until the path is served. */
  resolve(path: string): string
  /**
   * `base` need not exist; the alias works once it does.
   * @throws MethodError with the node's text when the alias is taken.
   */
  add(base: string, alias: string): void
  /** As if it had never been added. */
  remove(alias: string): void
  /** True when `alias` was added, even if it was refused because of a clash. */
  has(alias: string): boolean
  /** Incremented with every change. */
  version(): number
}

export interface RouteAliasesDeps {
  /** True when `path` (without /ext/) is already served. */
  isServed(path: string): boolean
  /** True for built-in aliases: `P`, `bc/P`, and `bc/` before an alias of a chain. */
  isReserved(path: string): boolean
  /** What may follow a route in a path: `rpc`, `ws`, `wallet`; the empty text for the route itself. */
  extensions: readonly string[]
}

/** Maximum number of replacements per path, so that a cycle ends. */
const MAX_READINGS = 64
/** Aliases have 512 bytes at most: no alias extends further into a path. */
const LONGEST = 512

/** Texts and order of checks are those of the node's router. In memory: the caller of `add` persists them. */
export function createRouteAliases({ isServed, isReserved, extensions }: RouteAliasesDeps): RouteAliases {
  const bases = new Map<string, { base: string; order: number }>()
  let version = 0
  /** The replacements of a path, the newest alias first. */
  const readings = (path: string): string[] => {
    const found: { order: number; reading: string }[] = []
    const start = path.length <= LONGEST ? path.length : path.lastIndexOf('/', LONGEST)
    for (let end = start; end > 0; end = path.lastIndexOf('/', end - 1)) {
      const known = bases.get(path.slice(0, end))
      if (known) found.push({ order: known.order, reading: known.base + path.slice(end) })
    }
    return found.sort((a, b) => b.order - a.order).map(({ reading }) => reading)
  }
  /** If both `a` and `a/rpc` are aliases, the older one has a/rpc, if it exists: as in the node's router. */
  const resolve = (path: string): string => {
    if (bases.size === 0) return path
    const seen = new Set<string>()
    const open = [path]
    let end: string | undefined
    for (let current = open.pop(); current !== undefined && seen.size < MAX_READINGS; current = open.pop()) {
      // A served path wins, even if its name has become an alias of something else.
      if (isServed(current)) return current
      if (seen.has(current)) continue
      seen.add(current)
      const further = readings(current)
      if (further.length === 0) end ??= current
      open.push(...further)
    }
    return end ?? path
  }
  const joined = (route: string, extension: string): string => (extension === '' ? route : `${route}/${extension}`)
  return {
    resolve,
    add: (base, alias) => {
      // Names of aliases are taken; the name of a route only where both would answer, see below.
      if (bases.has(alias) || isReserved(alias))
        throw new MethodError(`route is either already aliased or already maps to a handle: /ext/${alias}`)
      const clash = extensions.find(
        (extension) => isServed(resolve(joined(base, extension))) && isServed(joined(alias, extension)),
      )
      // The node reserves the alias before it finds the clash.
      version += 1
      bases.set(alias, { base, order: version })
      if (clash !== undefined)
        throw new MethodError(`failed to create endpoint as /ext/${joined(alias, clash)} already exists`)
    },
    remove: (alias) => {
      if (bases.delete(alias)) version += 1
    },
    has: (alias) => bases.has(alias),
    version: () => version,
  }
}
