import { MethodError } from '../gorilla/local-service.ts'

/** Aliases of routes, as `admin.alias` makes them: `myC` for `bc/C` covers `myC/rpc`, `myC/ws` and all the rest. */
export interface RouteAliases {
  /** What an alias at the beginning of `path` (without /ext/) stands for, aliases of aliases included, until it is served. */
  resolve(path: string): string
  /**
   * `base` need not exist; an alias of what exists later works then.
   * @throws MethodError with the node's text when the alias is taken.
   */
  add(base: string, alias: string): void
  /** As if it had never been added. */
  remove(alias: string): void
  /** True when `alias` was added, also when that was refused for a clash. */
  has(alias: string): boolean
  /** In the order of creation; `add` with each of them makes the same table again. */
  list(): readonly (readonly [base: string, alias: string])[]
  /** Grows with every change. */
  version(): number
}

export interface RouteAliasesDeps {
  /** True when something answers at `path` (without /ext/) already. */
  isServed(path: string): boolean
  /** True for aliases that are there from the start: `P`, `bc/P`, and `bc/` before an alias of a chain. */
  isReserved(path: string): boolean
  /** What may follow a route in a path: `rpc`, `ws`, `wallet`; the empty text for the route itself. */
  extensions: readonly string[]
}

/** A path is taken for so many others at most, so that a circle ends. */
const MAX_READINGS = 64
/** No alias is longer than 512 bytes: where a path goes on behind that, none ends. */
const LONGEST = 512

/** Texts and order of checks as in the node's router. In memory: who adds keeps them. */
export function createRouteAliases({ isServed, isReserved, extensions }: RouteAliasesDeps): RouteAliases {
  const bases = new Map<string, { base: string; order: number }>()
  let version = 0
  /** What aliases make of a path, the newest one first. */
  const readings = (path: string): string[] => {
    const found: { order: number; reading: string }[] = []
    const start = path.length <= LONGEST ? path.length : path.lastIndexOf('/', LONGEST)
    for (let end = start; end > 0; end = path.lastIndexOf('/', end - 1)) {
      const known = bases.get(path.slice(0, end))
      if (known) found.push({ order: known.order, reading: known.base + path.slice(end) })
    }
    return found.sort((a, b) => b.order - a.order).map(({ reading }) => reading)
  }
  /** Of `a` and `a/rpc` the older alias has a/rpc, if there is such a thing: so it is in the node's router. */
  const resolve = (path: string): string => {
    if (bases.size === 0) return path
    const seen = new Set<string>()
    const open = [path]
    let end: string | undefined
    for (let current = open.pop(); current !== undefined && seen.size < MAX_READINGS; current = open.pop()) {
      // What is served stands, also where its name has become an alias of something else.
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
      // Names of aliases are taken; that of a route is only where both would answer, see below.
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
    list: () => [...bases].map(([alias, { base }]) => [base, alias] as const),
  }
}
