import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { DueNft, NftMetadataRecords } from '../../store/index.ts'
import { createHostTurns } from './host-turns.ts'
import { type FetchDocument, fetchMetadata } from './metadata-fetch.ts'
import { type Gateways, PUBLIC_GATEWAYS } from './metadata-place.ts'
import type { CallContract } from './token-uri.ts'

export interface NftMetadataWorkerDeps {
  records: Pick<NftMetadataRecords, 'takeDue' | 'store'>
  call: CallContract
  fetch: FetchDocument
  logger: Logger
  gateways?: Gateways
  /** Largest document in bytes; default 2 MiB. */
  maxBytes?: number
  /** Tokens at once; default 16. */
  concurrency?: number
  /** Fetches from one host at once; default 4. */
  perHost?: number
  /** Time between two looks into the queue while it is empty; default 1 s, so that a reindex is done in seconds. */
  pollMs?: number
}

export interface NftMetadataWorker {
  start(): void
  /** Gives up what runs; the queue hands it out again when its lease ends. */
  stop(): Promise<void>
}

/** Longer than a call and a fetch can take together with their wait for the host. */
const LEASE_SECONDS = 180
const STORE_TROUBLE_MS = 5_000

/** Works the queue of tokens off whose metadata is due; several of these may share one queue. */
export function createNftMetadataWorker(deps: NftMetadataWorkerDeps): NftMetadataWorker {
  const { records, logger, concurrency = 16, pollMs = 1_000 } = deps
  const fetching = {
    call: deps.call,
    fetch: deps.fetch,
    hosts: createHostTurns(deps.perHost ?? 4),
    gateways: deps.gateways ?? PUBLIC_GATEWAYS,
    maxBytes: deps.maxBytes ?? 2_097_152,
    now: () => BigInt(Math.floor(Date.now() / 1_000)),
  }
  const stopping = new AbortController()
  const { signal } = stopping
  const active = new Set<Promise<void>>()
  const work = async (token: DueNft): Promise<void> => {
    try {
      await records.store(token, await fetchMetadata(token, fetching, signal))
    } catch (error) {
      const { chainId, contract, tokenId } = token
      if (!signal.aborted) logger.debug({ err: error, chainId, contract, tokenId }, 'NFT metadata not read')
    }
  }
  const take = async (): Promise<void> => {
    const free = concurrency - active.size
    const due = free > 0 ? await records.takeDue(free, LEASE_SECONDS) : []
    for (const token of due) {
      const job = work(token).finally(() => active.delete(job))
      active.add(job)
    }
    if (active.size >= concurrency) await Promise.race(active)
    else if (due.length === 0) await rest(pollMs, signal)
  }
  const run = async (): Promise<void> => {
    while (!signal.aborted)
      await take().catch(async (error: unknown) => {
        logger.warn({ err: error }, 'queue of NFT metadata not read')
        await rest(STORE_TROUBLE_MS, signal)
      })
    await Promise.all(active)
  }
  let running: Promise<void> | undefined
  return {
    start() {
      running ??= run()
    },
    async stop() {
      stopping.abort()
      await running
    },
  }
}

const rest = (ms: number, signal: AbortSignal): Promise<void> => sleep(ms, undefined, { signal }).catch(() => undefined)
