import { readFile, rename, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { messageOf } from '../../errors.ts'
import { makeFolder } from '../../lib/make-folder.ts'
import { steadyNow } from '../../lib/steady-clock.ts'
import type { MarketLog } from '../market-log.ts'
import { addressKey } from '../prices/prices.ts'
import { type CoingeckoClient, refusalOf } from './coingecko-client.ts'

/** The list changes slowly; new coins are priced a day late at most. */
const REFRESH_MS = 86_400_000
/** After a failure with the list, tokens are priced by contract for this long. */
const RETRY_MS = 600_000
const MAX_COINS = 100_000

/** Contract → coin id of the provider, for the platforms that are served. */
export interface CoinIndex {
  /** Loads the list when it is missing; true when it is available. Never rejects. */
  ready(signal: AbortSignal): Promise<boolean>
  idOf(platform: string, address: string): string | undefined
}

type Rows = Map<string, string>

const rowKey = (platform: string, address: string): string => `${platform}/${addressKey(address)}`

/** Rows of `coins/list?include_platform=true`: `{id, symbol, name, platforms: {platform: address}}`. */
const indexCoins = (list: readonly unknown[], platforms: ReadonlySet<string>): Rows => {
  const rows: Rows = new Map()
  for (const coin of list.slice(0, MAX_COINS)) {
    const { id, platforms: places } = (coin ?? {}) as { id?: unknown; platforms?: unknown }
    if (typeof id !== 'string' || id === '' || typeof places !== 'object' || places === null) continue
    for (const [platform, address] of Object.entries(places))
      if (platforms.has(platform) && typeof address === 'string' && address !== '') {
        const key = rowKey(platform, address)
        // The list is sorted by id; if two coins claim a contract, the first one keeps it.
        if (!rows.has(key)) rows.set(key, id)
      }
  }
  return rows
}

const isPair = (row: unknown): row is [string, string] =>
  Array.isArray(row) && row.length === 2 && typeof row[0] === 'string' && typeof row[1] === 'string'

/** The stored list; undefined if it was stored without a platform that is now served. */
const readKept = async (
  file: string,
  platforms: ReadonlySet<string>,
): Promise<{ rows: Rows; ageMs: number } | undefined> => {
  try {
    const [{ mtimeMs }, text] = await Promise.all([stat(file), readFile(file, 'utf8')])
    const { platforms: kept, rows } = JSON.parse(text) as Record<string, unknown>
    if (!Array.isArray(rows) || rows.length === 0 || !rows.every(isPair)) return undefined
    // The list contains no coin of such a platform: all of its tokens would count as tokens without a price.
    if (!Array.isArray(kept) || ![...platforms].every((platform) => kept.includes(platform))) return undefined
    return { rows: new Map(rows), ageMs: Math.max(0, Date.now() - mtimeMs) }
  } catch {
    return undefined
  }
}

const keep = async (file: string, platforms: ReadonlySet<string>, rows: Rows): Promise<void> => {
  await makeFolder(dirname(file))
  await writeFile(`${file}.new`, JSON.stringify({ platforms: [...platforms], rows: [...rows] }))
  await rename(`${file}.new`, file)
}

interface CoinIndexDeps {
  client: CoingeckoClient
  platforms: ReadonlySet<string>
  log: MarketLog
  file?: string
}

/** Holds the provider's coin list, also on disk; one load at a time, an old list is used while a new one is loaded. */
export const createCoinIndex = ({ client, platforms, log, file }: CoinIndexDeps): CoinIndex => {
  let rows: Rows | undefined
  let nextAt = 0
  let loading: Promise<void> | undefined

  const warn = (error: unknown, message: string): void => log.warn({ reason: messageOf(error) }, message)

  /** Once: the file has megabytes, and all prices that are asked for after a start wait for it. */
  let restored: Promise<void> | undefined
  /** From an earlier run, however old: a chain's tokens have prices while the new list, megabytes, is on its way. */
  const restore = async (): Promise<void> => {
    const kept = file === undefined ? undefined : await readKept(file, platforms)
    if (kept === undefined) return
    rows = kept.rows
    nextAt = steadyNow() - kept.ageMs + REFRESH_MS
  }

  const load = async (signal: AbortSignal): Promise<void> => {
    nextAt = steadyNow() + RETRY_MS
    try {
      const answer = await client.get('/coins/list?include_platform=true', signal)
      if ('refused' in answer) throw refusalOf(answer)
      const fresh = 'list' in answer ? indexCoins(answer.list, platforms) : undefined
      if (fresh === undefined || fresh.size === 0) return
      rows = fresh
      nextAt = steadyNow() + REFRESH_MS
      // A full or read-only disk costs a call at the next start.
      if (file !== undefined)
        await keep(file, platforms, fresh).catch((error: unknown) => warn(error, 'coin list could not be kept'))
    } catch (error) {
      warn(error, 'coin list could not be loaded')
    }
  }

  return {
    async ready(signal) {
      restored ??= restore()
      await restored
      if (loading === undefined && steadyNow() >= nextAt)
        loading = load(signal).finally(() => {
          loading = undefined
        })
      if (rows === undefined) await loading
      return rows !== undefined
    },
    idOf: (platform, address) => rows?.get(rowKey(platform, address)),
  }
}
