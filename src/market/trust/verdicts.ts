import { LRUCache } from 'lru-cache'
import { roomFor } from '../../lib/room-for.ts'
import { steadyNow } from '../../lib/steady-clock.ts'
import { watchFile } from '../file-watch.ts'
import { type MarketLog, silentLog } from '../market-log.ts'
import { addressKey } from '../prices/prices.ts'
import { KNOWN_TOKENS } from '../tokens/known-tokens.ts'
import type { ListedToken } from '../tokens/token.ts'
import { createSuspicion, type Suspicion } from './suspicion.ts'
import { EMPTY_OVERRIDES, type Overrides, parseOverrides } from './verdict-overrides.ts'

/** How far a token is trusted; the terms of the API. */
export type ScanVerdict = 'Benign' | 'Malicious' | 'Warning' | 'Spam'

/** What is judged; texts as displayed. */
export interface JudgedToken {
  address: string
  name: string
  symbol: string
}

export interface Judgement {
  /** Left out when nothing is known about the token. */
  scanResult?: ScanVerdict
  /** Shown to callers who want trusted tokens only. */
  trusted: boolean
}

export interface VerdictOptions {
  lists: {
    tokens(caip2Id: string): readonly ListedToken[]
    find(caip2Id: string, address: string): ListedToken | undefined
  }
  /** JSON file of fixed verdicts; checked again every few seconds while verdicts are requested. */
  file?: string
  log?: MarketLog
}

const LOOK_MS = 5_000
const MAX_BYTES = 8_388_608
/** More than one request may show on a chain: a smaller cache would be judged anew on each request. */
const KEPT = 60_000

/** Coins that fake tokens imitate, in addition to the well-known tokens. */
const NATIVE_SYMBOLS = ['AVAX', 'BTC', 'ETH', 'SOL', 'BNB', 'POL', 'MATIC']
const WELL_KNOWN = new Set([
  ...NATIVE_SYMBOLS,
  ...Object.values(KNOWN_TOKENS).flatMap((rows) => rows.map(([, symbol]) => symbol)),
])

/**
 * Malicious and Spam are untrusted, and so is an unlisted token if there are lists for the chain. Warning alone does
 * not hide a token. A fixed verdict counts like a list.
 */
export const isTrusted = (scanResult: ScanVerdict | undefined, vouchedFor: boolean, chainHasLists: boolean): boolean =>
  scanResult !== 'Malicious' && scanResult !== 'Spam' && (vouchedFor || !chainHasLists)

/**
 * Verdicts without an external scanner. In this order: a fixed verdict; Benign for listed tokens; the suspicions of
 * `suspicion.ts`; else none. Unknown is not Spam: wallets hide Spam.
 */
export const createVerdicts = ({ lists, file, log = silentLog }: VerdictOptions) => {
  let filed: Overrides = EMPTY_OVERRIDES
  let vouched: { filed: Overrides; byChain: ReadonlyMap<string, readonly string[]> } | undefined
  let lookAt = 0
  const watched =
    file === undefined
      ? undefined
      : watchFile(file, parseOverrides, MAX_BYTES, (reason) => log.warn({ file, reason }, 'verdicts could not be read'))
  const load = async (): Promise<void> => {
    lookAt = steadyNow() + LOOK_MS
    filed = (await watched?.read()) ?? EMPTY_OVERRIDES
  }

  /** By the list array, which is replaced whenever a list of the chain has changed. */
  const known = new WeakMap<readonly ListedToken[], { suspect: Suspicion; kept: LRUCache<string, Judgement> }>()
  const knowledgeOf = (tokens: readonly ListedToken[]) => {
    const found = known.get(tokens) ?? {
      suspect: createSuspicion(tokens, WELL_KNOWN),
      kept: new LRUCache<string, Judgement>(roomFor(KEPT)),
    }
    known.set(tokens, found)
    return found
  }

  const judgeUnlisted = (caip2Id: string, token: JudgedToken): Judgement => {
    const tokens = lists.tokens(caip2Id)
    const { suspect, kept } = knowledgeOf(tokens)
    // What is suspected is the texts alone; none that is displayed has a line break.
    const key = `${token.symbol}\n${token.name}`
    const before = kept.get(key)
    if (before !== undefined) return before
    const scanResult = suspect(token)
    const judgement = {
      ...(scanResult === undefined ? {} : { scanResult }),
      trusted: isTrusted(scanResult, false, tokens.length > 0),
    }
    kept.set(key, judgement)
    return judgement
  }

  return {
    /** Reads the file of fixed verdicts; resolves at once without one. Never rejects. */
    load,
    judge(caip2Id: string, token: JudgedToken): Judgement {
      if (watched !== undefined && steadyNow() >= lookAt) void load()
      const place = `${caip2Id}/${addressKey(token.address)}`
      const ruled = filed.get(place)
      if (ruled !== undefined) return { scanResult: ruled, trusted: isTrusted(ruled, true, true) }
      if (lists.find(caip2Id, token.address) !== undefined) return { scanResult: 'Benign', trusted: true }
      return judgeUnlisted(caip2Id, token)
    },
    /** True if no list could vouch for a token. */
    trustsUnlisted: (caip2Id: string): boolean => isTrusted(undefined, false, lists.tokens(caip2Id).length > 0),
    /** Addresses with a fixed verdict other than Malicious or Spam. */
    vouched(caip2Id: string): readonly string[] {
      if (vouched?.filed !== filed) vouched = { filed, byChain: vouchedByChain(filed) }
      return vouched.byChain.get(caip2Id) ?? []
    },
  }
}

function vouchedByChain(verdicts: Overrides): Map<string, string[]> {
  const byChain = new Map<string, string[]>()
  for (const [place, verdict] of verdicts) {
    if (!isTrusted(verdict, true, true)) continue
    const at = place.lastIndexOf('/')
    const addresses = byChain.get(place.slice(0, at)) ?? []
    addresses.push(place.slice(at + 1))
    byChain.set(place.slice(0, at), addresses)
  }
  return byChain
}

export type Verdicts = ReturnType<typeof createVerdicts>
