import { fileURLToPath } from 'node:url'
import { steadyNow } from '../../lib/steady-clock.ts'
import { mapBounded } from '../../lib/waiting/map-bounded.ts'
import { type MarketLog, silentLog } from '../market-log.ts'
import { createListCache } from './list-cache.ts'
import { createListFetch, type ListFetch } from './list-fetch.ts'
import type { ListReading, ListSource, TokenListStatus } from './list-source.ts'
import { createFileList, createFolderLists } from './local-list.ts'
import { createRemoteList } from './remote-list.ts'
import type { ListedToken } from './token.ts'
import { createTokenCatalogue } from './token-catalogue.ts'

export interface TokenListOptions {
  /**
   * URLs (http, https) or files (path or file:) per CAIP-2 chain, most trusted first. From each, only that chain's
   * entries count. A URL that several chains name is fetched once.
   */
  sources?: Readonly<Record<string, readonly string[]>>
  /** Lists that cover many chains; they come after the chains' own lists. */
  defaultSources?: readonly string[]
  /** Folder whose `*.json` files are lists; they come between the two above. */
  dir?: string
  /** Where fetched lists are stored across restarts. */
  cacheDir: string
  /** Fetched lists are requested again after this, a tenth more or less; milliseconds. 0 = only once. */
  refreshMs: number
  /** Add the built-in table of well-known tokens, after every list. Default true. */
  builtIn?: boolean
  /** Larger lists are refused; default 16 MiB. */
  maxBytes?: number
  /** Tokens kept per chain; default 20,000. */
  maxTokensPerChain?: number
  /** How URLs are fetched; default: undici, at most 3 redirects, 60 s. */
  fetch?: ListFetch
  log?: MarketLog
}

/** Tokens of trusted lists; compatible with `TokenCatalogue` of the adapters. */
export interface TokenLists {
  /** Tokens of a chain sorted by address; never waits. Same array while nothing changed. */
  tokens(caip2Id: string): readonly ListedToken[]
  find(caip2Id: string, address: string): ListedToken | undefined
  /** Starts loading in the background; until then, only the built-in table is there. Further calls change nothing. */
  start(): void
  /**
   * Adds lists of chains that have none so far; other chains keep theirs. Resolves when files and stored copies are in
   * force, so that the chain is never shown without them; the rest follows in the background. After `start`. Never
   * rejects.
   */
  add(sources: Readonly<Record<string, readonly string[]>>): Promise<void>
  /**
   * Resolves when files and stored copies are in force, after `start`; needs no network. An answer before that would
   * lack tokens that were there before a restart, and wallets would take them for spent. Never rejects.
   */
  restored(): Promise<void>
  /** Resolves when every source was checked once after `start` (stored copies, files, network); never rejects. */
  loaded(): Promise<void>
  /** Checks all sources now, due or not. Never rejects. */
  refresh(): Promise<void>
  status(): TokenListStatus[]
  /** Stops loading and closes connections. */
  close(): Promise<void>
}

/** Concurrent fetches of lists. */
const PARALLEL = 4
/** Minimum and maximum interval at which the loop checks its sources. */
const SHORTEST_NAP_MS = 50
const LONGEST_NAP_MS = 60_000

const isUrl = (source: string): boolean => /^https?:\/\//i.test(source)

/** URLs escape blanks and non-ASCII letters. A URL that names no file of this machine is used unchanged. */
const filePath = (source: string): string => {
  if (!source.startsWith('file:')) return source
  const { pathname } = new URL(source)
  try {
    return fileURLToPath(`file://${pathname}`)
  } catch {
    return pathname
  }
}

type Places = Readonly<Record<string, readonly string[]>>

/** Every source once, however many chains name it, and the sources of each chain. */
interface Sources {
  readonly all: readonly ListSource[]
  of(caip2Id: string): readonly ListSource[]
  /** Adds the sources of chains that have none; returns the new ones. */
  add(places: Places): ListSource[]
}

/** Entries read of one list. */
const MOST_OF_A_LIST = 20_000

const buildSources = (options: TokenListOptions, fetch: ListFetch): Sources => {
  const { defaultSources = [], refreshMs } = options
  const log = options.log ?? silentLog
  const cache = createListCache(options.cacheDir)
  const reading: ListReading = {
    maxBytes: options.maxBytes ?? 16_777_216,
    maxTokens: MOST_OF_A_LIST,
    refreshMs: refreshMs === 0 ? Number.POSITIVE_INFINITY : refreshMs,
  }
  const build = (place: string, home?: string): ListSource => {
    const deps = { ...reading, log, ...(home === undefined ? {} : { home }) }
    return isUrl(place) ? createRemoteList(place, { ...deps, fetch, cache }) : createFileList(filePath(place), deps)
  }
  const built = new Map<string, ListSource>()
  const pick = (list: readonly string[]): ListSource[] => list.flatMap((place) => built.get(place) ?? [])
  const own = new Map<string, ListSource[]>()
  const add = (places: Places): ListSource[] => {
    const lists = Object.entries(places).filter(([caip2Id]) => !own.has(caip2Id))
    const homeOf = (place: string): string | undefined => {
      const homes = lists.filter(([, list]) => list.includes(place)).map(([caip2Id]) => caip2Id)
      return homes.length > 1 || defaultSources.includes(place) ? undefined : homes[0]
    }
    const fresh = new Set(lists.flatMap(([, list]) => list).filter((place) => !built.has(place)))
    for (const place of fresh) built.set(place, build(place, homeOf(place)))
    for (const [caip2Id, list] of lists) own.set(caip2Id, pick(list))
    return pick([...fresh])
  }
  add(options.sources ?? {})
  for (const place of defaultSources) if (!built.has(place)) built.set(place, build(place))
  const folder = options.dir === undefined ? [] : [createFolderLists(options.dir, { ...reading, log })]
  const shared = [...folder, ...pick(defaultSources)]
  return {
    get all() {
      return [...built.values(), ...folder]
    },
    of: (caip2Id) => [...(own.get(caip2Id) ?? []), ...shared],
    add,
  }
}

/** Loads token lists in the background, stores and refreshes them, and serves them per chain. */
export const createTokenLists = (options: TokenListOptions): TokenLists => {
  const http = options.fetch === undefined ? createListFetch() : { fetch: options.fetch, close: async () => undefined }
  const sources = buildSources(options, http.fetch)
  const catalogue = createTokenCatalogue({
    lists: (caip2Id) => sources.of(caip2Id).flatMap((source) => source.lists()),
    builtIn: options.builtIn ?? true,
    maxTokensPerChain: options.maxTokensPerChain ?? 20_000,
  })
  const stop = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let restoring: Promise<void> | undefined

  const look = (due: readonly ListSource[]): Promise<unknown> =>
    mapBounded(due, PARALLEL, async (source) => {
      if (!stop.signal.aborted && (await source.refresh(stop.signal))) catalogue.changed()
    })
  /** Running reads. Their sources are still due and would otherwise be read twice. */
  let reads = 0
  const lookAtDue = async (): Promise<void> => {
    reads += 1
    await look(sources.all.filter((source) => source.dueAt() <= steadyNow()))
    reads -= 1
  }

  const nap = (): void => {
    clearTimeout(timer)
    if (reads > 0 || stop.signal.aborted || sources.all.length === 0) return
    const next = Math.min(...sources.all.map((source) => source.dueAt())) - steadyNow()
    timer = setTimeout(() => void lookAtDue().then(nap), Math.min(Math.max(next, SHORTEST_NAP_MS), LONGEST_NAP_MS))
    timer.unref()
  }

  const restore = async (all: readonly ListSource[]): Promise<void> => {
    await mapBounded(all, PARALLEL, async (source) => {
      if (await source.restore()) catalogue.changed()
    })
  }
  const run = async (): Promise<void> => {
    restoring = restore(sources.all)
    await restoring
    await lookAtDue()
    nap()
  }

  return {
    tokens: catalogue.tokens,
    find: catalogue.find,
    start() {
      running ??= run()
    },
    async add(places) {
      await restoring
      reads += 1
      clearTimeout(timer)
      const fresh = sources.add(places)
      // Lists that were already loaded now count for one more chain.
      catalogue.changed()
      await restore(fresh)
      reads -= 1
      nap()
    },
    restored: async () => restoring,
    loaded: async () => running,
    refresh: async () => void (await look(sources.all)),
    status: () => sources.all.flatMap((source) => source.status()),
    async close() {
      stop.abort()
      clearTimeout(timer)
      await running
      await http.close()
    },
  }
}
