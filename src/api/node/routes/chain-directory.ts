import { type ChainLetter, chainOfAlias, PRIMARY_ALIASES, PRIMARY_NETWORK_ID } from '../../../facts/primary-network.ts'
import { decodeCb58 } from '../../../lib/bytes/cb58.ts'
import { ID_BYTES } from '../../../lib/bytes/ids.ts'
import { steadyNow } from '../../../lib/steady-clock.ts'
import { MethodError } from '../gorilla/local-service.ts'

/** A chain as `platform.getBlockchains` lists it. */
export interface ListedChain {
  id: string
  name: string
  subnetID: string
}

/** The chains of the network served under /ext, by id and alias. Ids are cb58. */
export interface ChainDirectory {
  /** Blockchain id for an alias or id, if known; case-sensitive. */
  lookup(alias: string): string | undefined
  /** The same, but only for aliases created here, which no node knows; undefined while there are none. */
  aliased(): ((alias: string) => string | undefined) | undefined
  primaryOf(id: string): ChainLetter | undefined
  /** Ids known so far, without the primary network's. */
  others(): readonly string[]
  /** In the order of creation; after built-in ones the id itself. Undefined when no alias and no chain is known. */
  aliases(id: string): readonly string[] | undefined
  /**
   * @param chain id or alias.
   * @throws MethodError with the node's text when the chain is unknown or the alias taken.
   */
  alias(chain: string, alias: string): void
  /** Removes an alias that was created by `alias`. */
  removeAlias(alias: string): void
  /** A chain that is served from now on, whether a node lists it or not. */
  add(id: string): void
  /** Asks a node for the list of chains, at most every few seconds; resolves to false if the latest attempt failed. */
  refresh(): Promise<boolean>
  /** Incremented whenever a result of `lookup` may have changed. */
  version(): number
}

export interface ChainDirectoryDeps {
  list(): Promise<readonly ListedChain[]>
  /** Ids named in the configuration: served whether a node lists them or not. */
  configured: readonly string[]
  primaryIds?: Partial<Record<'X' | 'C', string>>
}

/** Callers ask for ids that do not exist: this is the minimum interval between reads of the list. */
const REFRESH_MS = 5_000

/** True for 32 bytes in cb58. */
export function isChainId(text: string): boolean {
  if (text.length < 33 || text.length > 60) return false
  try {
    decodeCb58(text, ID_BYTES)
    return true
  } catch {
    return false
  }
}

export function createChainDirectory({ list, configured, primaryIds }: ChainDirectoryDeps): ChainDirectory {
  const ids = new Map<ChainLetter, string>([['P', PRIMARY_NETWORK_ID]])
  const primaries = new Map<string, ChainLetter>([[PRIMARY_NETWORK_ID, 'P']])
  const others = new Set(configured)
  /** By alias: the id, or the primary chain whose id may not be known yet. */
  const own = new Map<string, string>()
  const ownOf = new Map<string, string[]>()
  let version = 0
  let askedAt = Number.NEGATIVE_INFINITY
  /** Whether the latest reading of the list succeeded. */
  let isTold = false
  let running: Promise<boolean> | undefined

  const setPrimary = (chain: ChainLetter, id: string): void => {
    if (ids.get(chain) === id) return
    ids.set(chain, id)
    primaries.set(id, chain)
    others.delete(id)
    version += 1
  }
  if (primaryIds?.X !== undefined) setPrimary('X', primaryIds.X)
  if (primaryIds?.C !== undefined) setPrimary('C', primaryIds.C)

  const take = (chains: readonly ListedChain[]): void => {
    for (const { id, name, subnetID } of chains) {
      if (subnetID === PRIMARY_NETWORK_ID && name === 'X-Chain') setPrimary('X', id)
      else if (subnetID === PRIMARY_NETWORK_ID && name === 'C-Chain') setPrimary('C', id)
      else if (!others.has(id) && !primaries.has(id)) {
        others.add(id)
        version += 1
      }
    }
  }
  const ownLookup = (alias: string): string | undefined => {
    const id = own.get(alias)
    // The alias was created before the chain's id was known.
    return id === 'X' || id === 'C' ? (ids.get(id) ?? id) : id
  }
  const lookup = (alias: string): string | undefined => {
    const primary = chainOfAlias(alias)
    if (primary !== undefined) return ids.get(primary) ?? primary
    return ownLookup(alias) ?? (primaries.has(alias) || others.has(alias) ? alias : undefined)
  }
  return {
    lookup,
    aliased: () => (own.size === 0 ? undefined : ownLookup),
    primaryOf: (id) => primaries.get(id) ?? (id === 'X' || id === 'C' ? id : undefined),
    others: () => [...others],
    aliases: (id) => {
      const primary = primaries.get(id)
      const extra = [...((primary && ownOf.get(primary)) ?? []), ...(ownOf.get(id) ?? [])]
      if (primary === undefined) return others.has(id) ? [id, ...extra] : undefined
      return [...PRIMARY_ALIASES[primary], id, ...extra]
    },
    alias: (chain, alias) => {
      const id = lookup(chain)
      if (id === undefined) throw new MethodError(`there is no ID with alias: ${chain}`)
      if (lookup(alias) !== undefined) throw new MethodError(`alias already mapped to an ID: ${alias}`)
      own.set(alias, id)
      ownOf.set(id, [...(ownOf.get(id) ?? []), alias])
      version += 1
    },
    removeAlias: (alias) => {
      if (!own.delete(alias)) return
      for (const [id, names] of ownOf)
        ownOf.set(
          id,
          names.filter((name) => name !== alias),
        )
      version += 1
    },
    add: (id) => {
      if (primaries.has(id) || others.has(id)) return
      others.add(id)
      version += 1
    },
    refresh: () => {
      const now = steadyNow()
      if (running) return running
      if (now - askedAt < REFRESH_MS) return Promise.resolve(isTold)
      askedAt = now
      running = list()
        .then(take)
        .then(
          () => true,
          () => false,
        )
        .then((told) => {
          running = undefined
          isTold = told
          return told
        })
      return running
    },
    version: () => version,
  }
}
