import { LRUCache } from 'lru-cache'
import type { AccountKey } from './account-key.ts'
import type { Company, createOwnCompany } from './company.ts'
import type { Balances } from './types.ts'

/** An account's last good answer. Kept beyond its freshness for the case that the chain fails. */
export interface Reading {
  balances: Balances
  /** Milliseconds of the clock when the read began, so that age is never understated. */
  at: number
  /** What it was read with. */
  company: Company
}

/** Readings kept hold so many tokens on average: one account may have twenty thousand. */
const TOKENS_PER_ENTRY = 10

/** A reading in company is kept beside that of the account alone, which it must not take from who asks for it. */
const placeOf = (key: string, company: Company): string => (company.length === 1 ? key : inCompany(key))
const inCompany = (key: string): string => `+${key}`

/** The last readings of accounts, bounded by accounts and by what they list; the least recently asked goes first. */
export function createKeptReadings(maxEntries: number, now: () => number) {
  const readings = new LRUCache<string, Reading>({
    max: maxEntries,
    maxSize: maxEntries * TOKENS_PER_ENTRY,
    sizeCalculation: ({ balances }) => partsOf(balances),
  })
  let replaced = 0
  return {
    /** A read that was left by everybody may end behind a later one: what it says is older. */
    keep(key: AccountKey['key'], reading: Reading, cacheMs: number): void {
      const place = placeOf(key, reading.company)
      const kept = readings.peek(place)
      if (kept && kept.at > reading.at) return
      if (kept && now() - kept.at < cacheMs) replaced += 1
      readings.set(place, reading)
    },
    /** The newest that a request may have. */
    of(key: AccountKey['key'], isOwn: ReturnType<typeof createOwnCompany>): Reading | undefined {
      const alone = readings.get(key)
      const together = readings.get(inCompany(key))
      return together && isOwn(together.company) && !(alone && alone.at > together.at) ? together : alone
    },
    /** How many were replaced while they were current. */
    replaced: (): number => replaced,
  }
}

/** How many things a reading lists, itself included. */
function partsOf(balances: Balances): number {
  let parts = 1
  for (const member of Object.values(balances)) {
    if (Array.isArray(member)) parts += member.length
    else if (typeof member === 'object') parts += Object.values(member).flat().length
  }
  return parts
}
