import { BadAnswerError } from '../../errors.ts'
import { steadyNow } from '../../lib/steady-clock.ts'
import type { MarketLog } from '../market-log.ts'
import type { KeptList, ListCache } from './list-cache.ts'
import type { ListFetch, ListResponse } from './list-fetch.ts'
import { type ListReading, type ListSource, troubleOf } from './list-source.ts'
import { type ParsedList, parseTokenList } from './token-list.ts'

/** First pause after a failure; doubles up to the refresh interval. */
const RETRY_MS = 60_000

interface RemoteListDeps extends ListReading {
  fetch: ListFetch
  cache: ListCache
  log: MarketLog
}

/** Up to a tenth earlier or later, so that many servers (and many lists) do not ask at the same time. */
const jitter = (ms: number): number => ms * (0.9 + Math.random() * 0.2)

/** A list behind a URL, stored on disk and requested with its version, so that an unchanged one costs a 304. */
export const createRemoteList = (url: string, deps: RemoteListDeps): ListSource => {
  const { cache, log, refreshMs } = deps
  const host = new URL(url).host
  let list: ParsedList | undefined
  let version: Omit<KeptList, 'body' | 'fetchedAt'> = {}
  let updatedAt: number | undefined
  let due = 0
  let failures = 0
  let trouble: string | undefined

  const adopt = (parsed: ParsedList, next: Omit<KeptList, 'body' | 'fetchedAt'>, at: number): void => {
    list = parsed
    version = next
    updatedAt = at
    due = steadyNow() - (Date.now() - at) + jitter(refreshMs)
  }

  /** A full or read-only disk costs a fetch at the next start, but no wallet its tokens. */
  const keep = async (kept: Promise<void>): Promise<void> =>
    kept.catch((error: unknown) => log.warn({ host, reason: troubleOf(error) }, 'token list could not be kept'))

  const take = async (answer: ListResponse): Promise<boolean> => {
    const now = Date.now()
    if (answer.status === 304 && list !== undefined) {
      updatedAt = now
      due = steadyNow() + jitter(refreshMs)
      await keep(cache.touch(url))
      return false
    }
    if (answer.status !== 200) throw new BadAnswerError(`answered ${answer.status}`)
    const next = {
      ...(answer.etag === undefined ? {} : { etag: answer.etag }),
      ...(answer.lastModified === undefined ? {} : { lastModified: answer.lastModified }),
    }
    const parsed = parseTokenList(answer.body, deps)
    // Otherwise its tokens would vanish from every wallet, as if they were spent.
    if (parsed.taken === 0 && list !== undefined && list.taken > 0) throw new BadAnswerError('has lost all its tokens')
    adopt(parsed, next, now)
    await keep(cache.write(url, { body: answer.body, ...next }))
    return true
  }

  const conditions = (): Record<string, string> =>
    list === undefined
      ? {}
      : {
          ...(version.etag === undefined ? {} : { 'if-none-match': version.etag }),
          ...(version.lastModified === undefined ? {} : { 'if-modified-since': version.lastModified }),
        }

  const fail = (error: unknown): void => {
    failures += 1
    trouble = troubleOf(error)
    due = steadyNow() + Math.min(jitter(RETRY_MS) * 2 ** Math.min(failures - 1, 20), jitter(refreshMs))
    log.warn({ host, reason: trouble }, 'token list could not be refreshed')
  }

  const restore = async (): Promise<boolean> => {
    const kept = await cache.read(url)
    if (kept === undefined) return false
    const { body, fetchedAt, ...rest } = kept
    try {
      adopt(parseTokenList(body, deps), rest, Math.min(fetchedAt, Date.now()))
      return true
    } catch (error) {
      log.warn({ host, reason: troubleOf(error) }, 'kept token list could not be used')
      return false
    }
  }

  return {
    lists: () => (list === undefined ? [] : [list]),
    restore,
    async refresh(signal) {
      try {
        const request = { headers: conditions(), signal, maxBytes: deps.maxBytes }
        const changed = await take(await deps.fetch(url, request))
        failures = 0
        trouble = undefined
        return changed
      } catch (error) {
        if (signal.aborted) return false
        // The kept one could perhaps not be read when the server started.
        const restored = list === undefined && (await restore())
        fail(error)
        return restored
      }
    },
    dueAt: () => due,
    status: () => [
      {
        source: host,
        tokens: list?.taken ?? 0,
        skipped: list?.skipped ?? 0,
        ...(updatedAt === undefined ? {} : { updatedAt }),
        ...(trouble === undefined ? {} : { trouble }),
      },
    ],
  }
}
