import { setMaxListeners } from 'node:events'
import type { Logger } from 'pino'
import { messageOf, NotFoundError } from '../../errors.ts'
import { inTime } from '../../lib/waiting/in-time.ts'
import { pause } from '../../lib/waiting/pause.ts'
import type { DueKind, DueNft, NftMetadataRecords } from '../../store/index.ts'
import { type CollectionShares, createCollectionShares } from './collection-shares.ts'
import { createHostTurns } from './host-turns.ts'
import { type FetchDocument, fetchMetadata } from './metadata-fetch.ts'
import { type Gateways, PUBLIC_GATEWAYS } from './metadata-place.ts'
import { createSilentPlaces } from './silent-places.ts'
import type { CallContract } from './token-uri.ts'

export interface NftMetadataWorkerDeps {
  records: Pick<NftMetadataRecords, 'takeDue' | 'store' | 'giveBack'>
  call: CallContract
  fetch: FetchDocument
  logger: Logger
  gateways?: Gateways
  /** Largest document in bytes; default 2 MiB. */
  maxBytes?: number
  /** Interval between two reads of the queue while nothing ends; default 1 s, so that a reindex is done in seconds. */
  pollMs?: number
}

export interface NftMetadataWorker {
  start(): void
  /** Stops running work and returns it to the queue. */
  stop(): Promise<void>
}

/** Longer than a call and a fetch can take, including the longest wait for the host. */
const LEASE_SECONDS = 300
/** After a queue that could not be read, so many intervals pass before it is read again. */
const TROUBLE_POLLS = 5
/** After this time a chain that could not be asked is retried; when a user waits, sooner and this many times. */
const CHAIN_TROUBLE_SECONDS = 60
/** For a chain removed from the configuration: retrying all of its tokens every minute would be useless load. */
const UNSERVED_SECONDS = 3_600
const ASKED_TROUBLE_MS = 2_000
const ASKED_ATTEMPTS = 30
/** Longest time that a stop waits for a database that does not answer. */
const STOP_MS = 1_000
/** Concurrent fetches per host, and tokens per collection. */
const PER_HOST = 4
/** Concurrent tokens that no user requested. */
const OTHERS_AT_ONCE = 16
/** Concurrent tokens that users requested. Many may wait for one host, and the others must not wait for it, too. */
const ASKED_AT_ONCE = 64
/** Concurrent ones of one collection among these, however many tokens of it are requested. */
const ASKED_OF_ONE = 8
/** Concurrent ones of all collections whose documents take long: there may be many, and the others have the rest. */
const ASKED_SLOW = 8

/** Tokens that users requested, or all others, and how the slots for them are divided among collections. */
interface Lane {
  which: DueKind
  slots: number
  shares: CollectionShares
}

/**
 * Processes the queue of tokens whose metadata is due; several workers may share one queue. Requested tokens do not
 * wait for the others, whose slots may all be taken by tokens of an unresponsive host.
 */
export function createNftMetadataWorker(deps: NftMetadataWorkerDeps): NftMetadataWorker {
  const { records, logger, pollMs = 1_000 } = deps
  const stopping = new AbortController()
  const { signal } = stopping
  // Every fetch listens; there may be eighty.
  setMaxListeners(0, signal)
  const others = createCollectionShares(PER_HOST, Math.ceil(OTHERS_AT_ONCE / 2))
  // What somebody waits for is fetched however long it takes.
  const asked = createCollectionShares(ASKED_OF_ONE, ASKED_SLOW, ASKED_OF_ONE)
  const lanes: readonly Lane[] = [
    { which: 'asked', slots: ASKED_AT_ONCE, shares: asked },
    { which: 'others', slots: OTHERS_AT_ONCE, shares: others },
  ]
  const took: CollectionShares['took'] = (contract, ms) => {
    for (const { shares } of lanes) shares.took(contract, ms)
  }
  const work = createAttempt(deps, took, signal)
  const { active, occupy, ended, rest, wake } = createSlots(signal)
  /** Takes what there is room for; resolves to how many there were. */
  const fill = async ({ which, slots, shares }: Lane): Promise<number> => {
    // Few at a time: of a collection with a single free slot all others have to be given back.
    const free = Math.min(PER_HOST, slots - active[which].size)
    const tokens = free > 0 ? await records.takeDue(free, LEASE_SECONDS, which, shares.full()) : []
    for (const token of tokens) {
      if (shares.enter(token.contract))
        occupy(
          which,
          work(token).finally(() => shares.leave(token.contract)),
        )
      // After everything that is due by now.
      else await records.giveBack(token, 0).catch(() => undefined)
    }
    return tokens.length
  }
  const take = async (): Promise<void> => {
    const before = ended()
    let taken = 0
    for (const lane of lanes) taken += await fill(lane)
    // Do not sleep over slots that became free while the queue was read.
    if (taken === 0 && ended() === before) await rest(pollMs)
  }
  /** The trouble that the log knows of: a database may be away for hours. */
  let logged: string | undefined
  const fail = async (error: unknown): Promise<void> => {
    const trouble = messageOf(error)
    if (trouble !== logged) logger.warn({ err: error }, 'queue of NFT metadata not read')
    logged = trouble
    await rest(TROUBLE_POLLS * pollMs)
  }
  const run = async (): Promise<void> => {
    while (!signal.aborted)
      await take().then(() => {
        logged = undefined
      }, fail)
    await Promise.all([...active.asked, ...active.others])
  }
  let running: Promise<void> | undefined
  return {
    start() {
      running ??= run()
    },
    async stop() {
      stopping.abort()
      wake()
      await running
    },
  }
}

/** Running work, by who waits for it, and a pause that ends when some of it does. */
function createSlots(signal: AbortSignal) {
  const active = { asked: new Set<Promise<void>>(), others: new Set<Promise<void>>() }
  let waking = new AbortController()
  let ended = 0
  return {
    active,
    ended: () => ended,
    wake: () => waking.abort(),
    occupy(which: DueKind, work: Promise<void>): void {
      const lane = active[which]
      const job = work.finally(() => {
        lane.delete(job)
        ended += 1
        waking.abort()
      })
      lane.add(job)
    },
    rest(ms: number): Promise<void> {
      waking = new AbortController()
      return signal.aborted ? Promise.resolve() : pause(ms, waking.signal)
    },
  }
}

/** One attempt for a token; never rejects. */
function createAttempt(
  deps: NftMetadataWorkerDeps,
  took: CollectionShares['took'],
  signal: AbortSignal,
): (token: DueNft) => Promise<void> {
  const { records, logger } = deps
  const fetching = {
    call: deps.call,
    fetch: deps.fetch,
    hosts: createHostTurns(PER_HOST),
    silent: createSilentPlaces(),
    took,
    gateways: deps.gateways ?? PUBLIC_GATEWAYS,
    maxBytes: deps.maxBytes ?? 2_097_152,
    now: () => BigInt(Math.floor(Date.now() / 1_000)),
  }
  return async (token) => {
    try {
      await records.store(token, await fetchMetadata(token, fetching, signal))
    } catch (error) {
      const { chainId, contract, tokenId } = token
      if (!signal.aborted) logger.debug({ err: error, chainId, contract, tokenId }, 'NFT metadata not read')
      await giveBack(records, token, error instanceof NotFoundError ? UNSERVED_SECONDS : CHAIN_TROUBLE_SECONDS, signal)
    }
  }
}

/** If this fails, too, the token returns when its lease ends. */
async function giveBack(
  records: NftMetadataWorkerDeps['records'],
  token: DueNft,
  waitSeconds: number,
  signal: AbortSignal,
): Promise<void> {
  const asked = token.asked && token.attempts < ASKED_ATTEMPTS
  if (asked) await pause(ASKED_TROUBLE_MS, signal)
  const wait = signal.aborted ? 0 : waitSeconds
  // If the chain was unavailable, no host has failed: only host failures count. While a user waits, all count.
  const attempts = asked ? token.attempts + 1 : token.asked ? 0 : token.attempts
  const given = records.giveBack({ ...token, asked, attempts }, wait).catch(() => undefined)
  if (!signal.aborted) return given
  await inTime(given, STOP_MS, () => undefined)
}
