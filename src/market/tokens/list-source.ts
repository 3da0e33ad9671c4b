import { messageOf } from '../../errors.ts'
import { maskUrlsIn } from '../../lib/mask.ts'
import type { ParsedList } from './token-list.ts'

/** For health and the index page. */
export interface TokenListStatus {
  /** Host of a URL (never the URL: it may carry a key) or path of a file. */
  source: string
  tokens: number
  skipped: number
  /** When the content was last fetched or found unchanged, milliseconds of `Date.now()`. */
  updatedAt?: number
  /** Message of the current problem; older content stays in force. */
  trouble?: string
}

/** A source of lists: a URL, a file or a folder. */
export interface ListSource {
  /** Lists in force, most important first. */
  lists(): readonly ParsedList[]
  /** Loads what was stored by an earlier run; without network. Never rejects. */
  restore(): Promise<boolean>
  /** Checks for changes; true when the content has changed. Never rejects. */
  refresh(signal: AbortSignal): Promise<boolean>
  /** When to check for changes again, milliseconds of `steadyNow()`. */
  dueAt(): number
  status(): TokenListStatus[]
}

/** What a source needs to read a list. */
export interface ListReading {
  /** The chain that entries without a chain number belong to. */
  home?: string
  maxBytes: number
  maxTokens: number
  /** Infinity = never. */
  refreshMs: number
}

/** What is wrong, for status and log: with the cause, and URLs masked. */
export const troubleOf = (error: unknown): string => {
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : ''
  return maskUrlsIn(`${messageOf(error)}${cause}`)
}
