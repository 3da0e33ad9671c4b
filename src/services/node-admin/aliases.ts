import type { Logger } from 'pino'
import type { AliasRecords } from '../../store/index.ts'
import { AdminError } from './admin-error.ts'

/** Where endpoint aliases take effect; throws with the node's text when one is taken. */
export interface RouteTable {
  add(endpoint: string, alias: string): void
  remove(alias: string): void
  /** True when an endpoint is served under this alias. */
  has(alias: string): boolean
}

/** Where chain aliases take effect. */
export interface ChainTable {
  /** The chain of an id or alias, if known. */
  lookup(alias: string): string | undefined
  /**
   * Asks the network about an unknown chain, which may be new.
   * @throws FirnError when no node could be asked
   */
  learn(chain: string): Promise<void>
  /** Throws with the node's text when the chain is unknown or the alias taken. */
  alias(chain: string, alias: string): void
  remove(alias: string): void
}

/** Aliases that outlive the process. */
export interface Aliases {
  /** Activates stored aliases that are not active yet: all at the start, those of other processes later. */
  restore(): Promise<void>
  /** Serves `alias` like `endpoint` from now on; both without /ext/. */
  aliasEndpoint(endpoint: string, alias: string): Promise<void>
  /** `chain` is an id or alias. */
  aliasChain(chain: string, alias: string): Promise<void>
  close(): void
}

export interface AliasesDeps {
  records: AliasRecords
  routes: RouteTable
  chains: ChainTable
  /** Interval at which aliases of other processes are read, milliseconds; 0 = never. */
  refreshMs: number
  logger: Pick<Logger, 'error' | 'warn'>
}

/** Bytes; the node's documentation says characters. */
const MAX_ALIAS_BYTES = 512
/** The path that needs no token: nothing else may look like it. */
const OPEN_NAME = /auth$/

/** An alias in force. Chains and endpoints have names of their own: one kind's may look like the other's. */
const keyOf = (kind: 'chain' | 'endpoint', alias: string): string => `${kind} ${alias}`

/** Where chains are served by name. */
const CHAINS = 'bc/'
const routeIsTaken = (alias: string): AdminError =>
  new AdminError(`route is either already aliased or already maps to a handle: /ext/${alias}`)

const chainIsTaken = (alias: string): AdminError => new AdminError(`alias already mapped to an ID: ${alias}`)

const checkLength = (alias: string): void => {
  if (Buffer.byteLength(alias) > MAX_ALIAS_BYTES) throw new AdminError('alias length is too long')
}
/** Databases do not store such texts, and no path contains a zero byte. */
const checkText = (...texts: readonly string[]): void => {
  if (texts.some((text) => text.includes('\0'))) throw new AdminError('alias contains a zero byte')
}

/** Memory decides, the store persists. Stored aliases that have become impossible are skipped, not deleted. */
export function createAliases({ records, routes, chains, refreshMs, logger }: AliasesDeps): Aliases {
  const inForce = new Set<string>()
  let seen: bigint | undefined
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()
  let closed = false

  const take = (kind: 'chain' | 'endpoint', alias: string, add: () => void): void => {
    const key = keyOf(kind, alias)
    if (inForce.has(key)) return
    inForce.add(key)
    try {
      add()
    } catch (error) {
      logger.warn({ err: error, alias: kind === 'chain' ? alias : `/ext/${alias}` }, 'a stored alias is taken')
    }
  }
  /** A chain's name is a route, too: if it is already an endpoint's alias, that stays as it is. */
  const nameChain = (chain: string, alias: string): void => {
    const route = CHAINS + alias
    const isNew = chains.lookup(chain) !== undefined && chains.lookup(alias) === undefined
    if (isNew && routes.has(route)) throw routeIsTaken(route)
    chains.alias(chain, alias)
  }
  /** False when a chain is not known yet: its alias is retried next time. */
  const load = async (): Promise<boolean> => {
    const { generation, endpoints, chains: chainAliases } = await records.all()
    let complete = true
    for (const { alias, endpoint } of endpoints)
      if (!OPEN_NAME.test(alias)) take('endpoint', alias, () => routes.add(endpoint, alias))
    for (const { alias, chain } of chainAliases) {
      if (OPEN_NAME.test(alias)) continue
      if (chains.lookup(chain) !== undefined) take('chain', alias, () => nameChain(chain, alias))
      else {
        complete = false
        // Not awaited: no request is served before the first load has ended.
        chains.learn(chain).catch(() => undefined)
      }
    }
    if (complete) seen = generation
    return complete
  }
  const restore = (): Promise<void> => {
    running = running
      .catch(() => undefined)
      .then(async () => {
        if (seen === undefined || (await records.generation()) !== seen) await load()
      })
    return running
  }
  const schedule = (): void => {
    if (refreshMs === 0 || closed) return
    timer = setTimeout(() => {
      restore()
        .catch((error: unknown) => logger.error({ err: error }, 'aliases: no store'))
        .finally(schedule)
    }, refreshMs).unref()
  }
  schedule()

  /**
   * An alias that cannot be stored is taken back: it would be lost at a restart and differ in other processes.
   * @param store resolves to whether it stores this alias of this target
   */
  const keep = async (key: string, store: () => Promise<boolean>, takeBack: () => void, taken: AdminError) => {
    inForce.add(key)
    let isKept = false
    try {
      isKept = await store()
    } finally {
      if (!isKept) {
        inForce.delete(key)
        takeBack()
        // It may have been stored after all, or another process's alias was.
        seen = undefined
      }
    }
    if (!isKept) throw taken
  }

  return {
    restore,
    async aliasEndpoint(endpoint, alias) {
      checkLength(alias)
      if (OPEN_NAME.test(alias)) throw routeIsTaken(alias)
      checkText(endpoint, alias)
      routes.add(endpoint, alias)
      const store = async () => (await records.addEndpoint({ alias, endpoint })).endpoint === endpoint
      await keep(keyOf('endpoint', alias), store, () => routes.remove(alias), routeIsTaken(alias))
    },
    async aliasChain(chain, alias) {
      checkLength(alias)
      if (chains.lookup(chain) === undefined) await chains.learn(chain)
      const id = chains.lookup(chain)
      if (id !== undefined && OPEN_NAME.test(alias)) throw chainIsTaken(alias)
      checkText(alias)
      nameChain(chain, alias)
      const store = async () => {
        const kept = (await records.addChain({ alias, chain: id ?? chain })).chain
        return kept === chain || chains.lookup(kept) === id
      }
      await keep(keyOf('chain', alias), store, () => chains.remove(alias), chainIsTaken(alias))
    },
    close() {
      closed = true
      clearTimeout(timer)
    },
  }
}
