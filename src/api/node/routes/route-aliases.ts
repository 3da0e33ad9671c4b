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
  /** True when `alias` was added, also when that was refused for a clash. */
  has(alias: string): boolean
  /** In the order of creation; `add` with each of them makes the same table again. */
  list(): readonly (readonly [base: string, alias: string])[]
  /** Number of aliases. */
  size(): number
}

export interface RouteAliasesDeps {
  /** True when something answers at `path` (without /ext/) already. */
  isServed(path: string): boolean
  /** True for aliases that are there from the start: `P`, `bc/P`, and `bc/` before an alias of a chain. */
  isReserved(path: string): boolean
  /** What may follow a route in a path: `rpc`, `ws`, `wallet`; the empty text for the route itself. */
  extensions: readonly string[]
}

/** Aliases are resolved at most this often, so that a circle ends. */
const MAX_STEPS = 16

/** Texts and order of checks as in the node's router. In memory: who adds keeps them. */
export function createRouteAliases({ isServed, isReserved, extensions }: RouteAliasesDeps): RouteAliases {
  const bases = new Map<string, string>()
  const step = (path: string): string | undefined => {
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
      const base = bases.get(path.slice(0, end))
      if (base !== undefined) return base + path.slice(end)
    }
    return undefined
  }
  const resolve = (path: string): string => {
    let current = path
    // What is served stands, also where its name has become an alias of something else.
    for (let steps = 0; bases.size > 0 && steps < MAX_STEPS && !isServed(current); steps += 1) {
      const next = step(current)
      if (next === undefined) return current
      current = next
    }
    return current
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
      bases.set(alias, base)
      if (clash !== undefined)
        throw new MethodError(`failed to create endpoint as /ext/${joined(alias, clash)} already exists`)
    },
    has: (alias) => bases.has(alias),
    size: () => bases.size,
    list: () => [...bases].map(([alias, base]) => [base, alias] as const),
  }
}
